// How quickly every view of the console and every list of the command answers when there are many rows, and whether one reads more than it shows.
import { existsSync } from 'node:fs';
import { CHROMIUM } from '../test/system.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { percentile, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { startFilled } from './server/filled-server.ts';
import type { Answered } from './views/asked.ts';
import { LISTS, listed } from './views/command-lists.ts';
import { A_FEW, consoleViews } from './views/console-views.ts';

/** For the view as a whole in the median, and for each of its answers at the 99th percentile. */
const MOST_MS = 200;
/** After one that does not count: modules are loaded and plans are made then. */
const TURNS = 20;

interface Taken {
  readonly ms: number;
  readonly answers: readonly Answered[];
  readonly shown: number;
}

const options = parseOptions(process.argv.slice(2));
const filled = await startFilled(options);
const store = filled.isPostgres ? 'PostgreSQL' : 'SQLite';
const rows: Row[] = [filled.row];
const isWanted = (what: string) => options.only === undefined || what.toLowerCase().includes(options.only.toLowerCase());

if (existsSync(CHROMIUM)) {
  const views = await consoleViews(filled.server);
  for (const [what, view] of Object.entries(views.all)) if (isWanted(what)) rows.push(await measured(what, () => views.open(view)));
  await views.close();
} else progress('the views of the console are left out: they need Chromium');
for (const words of LISTS) if (isWanted(words.join(' '))) rows.push(await measured(`gatehouse ${words.join(' ')}`, () => listed(filled.server, words)));
await filled.stop();
report(
  'views',
  rows,
  limitsOf(
    rows,
    rows.slice(1).flatMap(({ what }) => [
      { what: String(what), column: 'ms', atMost: MOST_MS },
      { what: String(what), column: 'p99 ms', atMost: MOST_MS },
      { what: String(what), column: 'rows not shown', atMost: A_FEW },
    ]),
  ),
);

async function measured(what: string, take: () => Promise<Taken>): Promise<Row> {
  const first = await take();
  const taken: Taken[] = [];
  for (let turn = 0; turn < TURNS; turn++) taken.push(await take());
  const times = taken.map(({ ms }) => ms);
  const answers = taken.flatMap((each) => each.answers.map(({ ms }) => ms));
  const { shown } = first;
  progress(`${what}: ${times.map((ms) => Math.round(ms)).join(' ')} ms`);
  // Each list for itself: a view asks once for identifiers and once for what is behind them.
  const read = Math.max(0, ...first.answers.map((each) => each.rows));
  return {
    what: `${what}, ${store}`,
    ms: round(percentile(times, 0.5)),
    'slowest ms': round(Math.max(...times)),
    'p99 ms': answers.length === 0 ? 0 : round(percentile(answers, 0.99)),
    'first ms': round(first.ms),
    requests: first.answers.length,
    'rows read': read,
    'rows shown': shown,
    'rows not shown': Math.max(0, read - shown),
  };
}
