// Which mutants a test file reaches at all, by what V8 counts while the file runs with nothing broken: in its process, its threads and the processes it starts.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutant.ts';

/** Of a range that V8 counts: functions, and blocks within them. Positions are those of the file, since types are stripped at equal length. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] }[];
}

/** @param run with more of the environment @returns what it gave, and those of the mutants whose place was run; a process that is killed counts nothing */
export async function reached<T>(root: string, mutants: readonly Mutant[], run: (env: Readonly<Record<string, string>>) => Promise<T>) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-reach-'));
  try {
    const ended = await run({ NODE_V8_COVERAGE: folder });
    const byUrl = Map.groupBy(mutants, ({ file }) => pathToFileURL(join(root, file)).href);
    const found = new Set<Mutant>();
    for (const name of readdirSync(folder)) {
      for (const { url, functions } of (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage).result) {
        const ranges = functions.flatMap((each) => each.ranges);
        for (const mutant of byUrl.get(url) ?? []) if (timesRun(ranges, mutant.start) > 0) found.add(mutant);
      }
    }
    return { ended, found };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The smallest range around a place is the one that counts. */
function timesRun(ranges: readonly Range[], position: number): number {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= position && position < endOffset);
  const size = ({ startOffset, endOffset }: Range): number => endOffset - startOffset;
  return around.reduce<Range | undefined>((least, each) => (least === undefined || size(each) < size(least) ? each : least), undefined)?.count ?? 0;
}
