// `npm run mutate [-- --sample N] [--seed S] [--sqlite] [--test PART ...] [--list] [path ...]`: breaks the sources in one place after the other and tells what no test noticed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { killRunning } from '../runner/file-process.ts';
import { readAccepted, reasonOf } from './accepted.ts';
import { type Checkout, checkOut } from './checkout.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { mutantsOf, sampleOf } from './sample.ts';
import { sourcesOf, TEST_MAP, testsOf } from './test-map.ts';
import { lookAt, type Outcome, type TestFile, trial } from './trial.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    // Copies of the repository that mutants are tried in at once.
    width: { type: 'string', default: '2' },
    // Tests on PostgreSQL are left out: quicker where the database does not matter.
    sqlite: { type: 'boolean', default: false },
    // Parts of the paths of the test files to try, where not all of the map are wanted.
    test: { type: 'string', multiple: true, default: [] },
    // Only tells which mutants there are.
    list: { type: 'boolean', default: false },
  },
});
if (values.sqlite) process.env['GATEHOUSE_TEST_WITHOUT'] = 'postgresql';
/** What is asked for: each path with its mutants, a sample of each. */
const paths = positionals.length > 0 ? positionals : TEST_MAP.map(([sources]) => sources);
const folders = paths.map((path) => ({ path, all: mutantsOf(root, sourcesOf(root, [path])) }));
const everything = folders.flatMap(({ all }) => all);
const seed = Number(values.seed);
const chosen = folders.flatMap(({ all }) => (values.sample === undefined ? all : sampleOf(all, Number(values.sample), seed)));
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
    const isWanted = (file: string) => values.test.length === 0 || values.test.some((part) => file.includes(part));
    const files = [...new Set(chosen.flatMap(({ file }) => testsOf(root, file)))].filter(isWanted);
    console.log(`${chosen.length} mutants; ${files.length} test files with nothing broken first`);
    const known: TestFile[] = [];
    for (const file of files) {
      const looked = await lookAt(checkouts[0] as Checkout, file, everything);
      console.log(`${(looked.ms / 1000).toFixed(1).padStart(6)} s, reaches ${looked.reaches.size}: ${file}`);
      known.push(looked);
    }
    const never = everything.filter((mutant) => !known.some(({ reaches }) => reaches.has(mutant)));
    for (const place of new Set(never.map(({ file, line }) => `${file}:${line}`))) console.log(`no test reaches ${place}`);
    report(await tryAll(checkouts, known));
  } finally {
    end();
  }
}

async function tryAll(checkouts: readonly Checkout[], known: readonly TestFile[]): Promise<Map<Mutant, Outcome>> {
  const waiting = [...chosen];
  const done = new Map<Mutant, Outcome>();
  const worker = async (checkout: Checkout) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const tests = new Set(testsOf(root, mutant.file));
      const { outcome, by } = await trial(
        checkout,
        mutant,
        known.filter(({ file }) => tests.has(file)),
      );
      done.set(mutant, outcome);
      console.log(`${outcome.padEnd(9)} ${named(mutant)}${by === undefined ? '' : ` by ${by}`}`);
    }
  };
  await Promise.all(checkouts.map(worker));
  return done;
}

function report(done: ReadonlyMap<Mutant, Outcome>): void {
  const accepted = readAccepted(readFileSync(new URL('../mutants.md', import.meta.url), 'utf8'));
  const survivors = [...done].filter(([, outcome]) => outcome === 'survived' || outcome === 'unreached').map(([mutant]) => mutant);
  const left = survivors.filter((mutant) => reasonOf(mutant, accepted) !== undefined);
  const open = survivors.filter((mutant) => !left.includes(mutant));
  console.log('');
  for (const mutant of open) console.log(`no test notices: ${named(mutant)}`);
  for (const { path, all } of folders) {
    const [tried, notNoticed, onPurpose] = [[...done.keys()], open, left].map((some) => some.filter((mutant) => all.includes(mutant)).length);
    console.log(`${path}: ${tried} of ${all.length} mutants tried, ${notNoticed} not noticed, ${onPurpose} left on purpose`);
  }
  process.exitCode = open.length > 0 ? 1 : 0;
}
