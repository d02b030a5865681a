// The clock of the nodes, which jumps where libfaketime is there: it tells them another time, and no other program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAKETIME_LIBRARY } from '../test/system.ts';

export interface Clock {
  /** What libfaketime reads: `+900` seconds. */
  readonly file?: string;
  /** Without a file: why there is none. */
  readonly why: string;
  /** Variables of the nodes. */
  readonly env: NodeJS.ProcessEnv;
}

/** libfaketime reads the file again each second; the clocks that only count stay as they are. */
export function openClock(folder: string, isWanted: boolean): Clock {
  if (!isWanted || FAKETIME_LIBRARY === '')
    return { why: isWanted ? 'without libfaketime the clock of one process cannot jump: apt-get install libfaketime' : 'not wanted', env: {} };
  const file = join(folder, 'clock');
  writeFileSync(file, '+0\n');
  const env = {
    LD_PRELOAD: FAKETIME_LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  };
  return { file, why: '', env };
}
