// `npm run mutate [-- --sample N] [--seed S] [--list] [path ...]`: breaks the sources in one place after the other and tells what no test noticed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { killRunning } from '../runner/file-process.ts';
import { readAccepted, reasonOf } from './accepted.ts';
import { type Checkout, checkOut } from './checkout.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { mutantsOf, sampleOf } from './sample.ts';
import { sourcesOf, testsOf } from './test-map.ts';
import { type Times, timesOf, tried } from './trial.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    // Copies of the repository that mutants are tried in at once.
    width: { type: 'string', default: '2' },
    // Only tells which mutants there are.
    list: { type: 'boolean', default: false },
  },
});
const all = mutantsOf(root, sourcesOf(root, positionals));
const chosen = values.sample === undefined ? all : sampleOf(all, Number(values.sample), Number(values.seed));
const named = (mutant: Mutant): string => `${mutant.file}:${mutant.line} ${mutant.kind} ${describeMutant(mutant)}`;
if (values.list) for (const mutant of chosen) console.log(named(mutant));
else if (chosen.length === 0) {
  console.error('there is nothing to mutate there; the sources are those of test/mutation/test-map.ts');
  process.exitCode = 1;
} else await main();

async function main(): Promise<void> {
  const checkouts = Array.from({ length: Number(values.width) }, () => checkOut(root));
  const end = () => {
    for (const checkout of checkouts) checkout.end();
  };
  process.on('SIGINT', () => {
    killRunning();
    end();
    process.exit(1);
  });
  try {
    const files = [...new Set(chosen.flatMap(({ file }) => testsOf(root, file)))];
    console.log(`${chosen.length} of ${all.length} mutants; ${files.length} test files with nothing broken first`);
    const times = await timesOf(checkouts[0] as Checkout, files);
    report(await tryAll(checkouts, times));
  } finally {
    end();
  }
}

interface Tried {
  readonly mutant: Mutant;
  readonly outcome: 'killed' | 'timeout' | 'survived';
}

async function tryAll(checkouts: readonly Checkout[], times: Times): Promise<Tried[]> {
  const waiting = [...chosen];
  const done: Tried[] = [];
  const worker = async (checkout: Checkout) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const files = testsOf(root, mutant.file).sort((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
      const { outcome, by } = await tried(checkout, mutant, files, times);
      done.push({ mutant, outcome });
      console.log(`${outcome.padEnd(8)} ${named(mutant)}${by === undefined ? '' : ` by ${by}`}`);
    }
  };
  await Promise.all(checkouts.map(worker));
  return done;
}

function report(done: readonly Tried[]): void {
  const accepted = readAccepted(readFileSync(new URL('../mutants.md', import.meta.url), 'utf8'));
  const survivors = done.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant);
  const left = survivors.filter((mutant) => reasonOf(mutant, accepted) !== undefined);
  const open = survivors.filter((mutant) => !left.includes(mutant));
  console.log('');
  for (const mutant of open) console.log(`no test notices: ${named(mutant)}`);
  const noticed = done.length - survivors.length;
  const score = ((100 * noticed) / Math.max(1, done.length - left.length)).toFixed(1);
  console.log(`${noticed} noticed, ${open.length} not, ${left.length} left on purpose: ${score} %`);
  process.exitCode = open.length > 0 ? 1 : 0;
}
