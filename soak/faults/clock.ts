// The clock of a machine jumps, forward and back: libfaketime tells the server another time, and no other clock.
import { writeFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { type Fault, show } from './fault.ts';

const JUMP_SECONDS = 900;
const TAKEN_MS = 2_500;

export const clockJumps: Fault = {
  name: 'clock-jumps',
  startsAnew: false,
  impossible: ({ clock }) => (clock.file ? undefined : clock.why),
  async happen({ nodes, clock }, ms) {
    const [node] = nodes as [(typeof nodes)[0]];
    const seen: number[] = [];
    for (const jump of [JUMP_SECONDS, -JUMP_SECONDS]) {
      writeFileSync(clock.file as string, `${jump > 0 ? '+' : ''}${jump}\n`);
      await after(TAKEN_MS + ms / 2);
      seen.push(Math.round((await node.clock()) - Date.now() / 1000));
    }
    writeFileSync(clock.file as string, '+0\n');
    await after(TAKEN_MS);
    const [ahead = 0, behind = 0] = seen;
    return show(ahead > JUMP_SECONDS - 60 && behind < 60 - JUMP_SECONDS, `the clock of ${node.name} was ${ahead} s and then ${behind} s off`);
  },
};
