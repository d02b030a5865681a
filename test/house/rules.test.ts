// Rules of the house that a test can hold: files and functions are short, titles of tests too, and nothing imports in a circle.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { circles, functionsOf, graph, IMPORTS, linesOf, read, SOURCES, TESTS, titlesOf } from './sources.ts';

const MAX_FILE_LINES = 200;
const MAX_FUNCTION_LINES = 40;
const MAX_TITLE_CHARACTERS = 100;

/** Longer files, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'client/calls.ts': 'generated from the OpenAPI description',
  'kmip/ttlv/enumeration.ts': 'the table of a specification',
  'kmip/ttlv/tag.ts': 'the table of a specification',
};

const ROUTES = 'a list of routes: each is a declaration of a few lines';

/** Longer functions, by file and name, each with its reason. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  'plugins/auth/actors.ts authActors': 'a list of actors: each is a declaration of a few lines',
  'plugins/auth/admins.ts adminRoutes': ROUTES,
  'plugins/auth/realms.ts realmRoutes': ROUTES,
  'plugins/auth/sessions.ts sessionRoutes': ROUTES,
  'plugins/auth/totp.ts totpRoutes': ROUTES,
  'plugins/keys/access.ts accessRoutes': ROUTES,
  'plugins/keys/tombstones.ts tombstoneRoutes': ROUTES,
};

/** Circles at run time that are still there, by their members. */
const CIRCLES: readonly string[] = [];

/** An exception that covers nothing hides the next offender. */
function assertExceptions(offenders: readonly string[], exceptions: readonly string[], rule: string): void {
  const unknown = offenders.filter((each) => !exceptions.includes(each));
  assert.deepEqual(unknown, [], rule);
  const stale = exceptions.filter((each) => !offenders.includes(each));
  assert.deepEqual(stale, [], 'these exceptions are not needed any more: delete them from the list in this file');
}

test(`files have at most ${MAX_FILE_LINES} lines; a longer one is named here with its reason`, () => {
  assert.ok(SOURCES.length > 300);
  const long = SOURCES.filter((file) => linesOf(file) > MAX_FILE_LINES);
  assertExceptions(long, Object.keys(LONG_FILES), 'move a part of these files to a file of its own');
});

test(`functions have at most ${MAX_FUNCTION_LINES} lines; a longer one is named here with its reason`, () => {
  const all = SOURCES.flatMap((file) => functionsOf(file));
  assert.ok(all.length > 2_000);
  const long = all.filter(({ lines }) => lines > MAX_FUNCTION_LINES).map(({ file, name }) => `${file} ${name}`);
  assertExceptions(long, Object.keys(LONG_FUNCTIONS), 'take these functions apart');
});

test(`titles of tests have at most ${MAX_TITLE_CHARACTERS} characters`, () => {
  const titles = TESTS.flatMap((file) => titlesOf(read(file)).map((title) => ({ file, title })));
  assert.ok(titles.length > 1_000);
  const long = titles.filter(({ title }) => title.length > MAX_TITLE_CHARACTERS);
  assert.deepEqual(long, []);
});

test('no files import each other in a circle at run time', () => {
  const atRunTime = IMPORTS.filter(({ typeOnly }) => !typeOnly);
  assert.ok(atRunTime.length > 1_000);
  const found = circles(graph(atRunTime.map(({ file, target }) => [file, target]))).map((members) => members.join(' '));
  assertExceptions(found, CIRCLES, 'move what these files share to a file of its own');
});

/** Two actors whose rows change in one transaction have each other's statements: test/imports.test.ts names the files. */
const ONE_TRANSACTION = ['actors/directory actors/session'];

test('the folders of a folder import each other in one direction only', () => {
  // What lies above them is for all of them, and uses them. The declarations of the kernel and of plugins name types of each other.
  const counts = IMPORTS.filter(({ file, typeOnly }) => !typeOnly || !/^(kernel|plugins)\//.test(file));
  const between = counts.flatMap(({ file, target }) => siblings(file, target) ?? []);
  assert.ok(between.some(([from, to]) => from === 'kernel/runtime' && to === 'kernel/store'));
  assert.ok(between.some(([from, to]) => from === 'actors/hsm/slot' && to === 'actors/hsm/work'));
  assertExceptions(
    circles(graph(between)).map((members) => members.join(' ')),
    ONE_TRANSACTION,
    'move what these folders share above them',
  );
});

/** The folders of two files below the one that both are in; undefined if one of the files lies there itself. */
function siblings(file: string, target: string): [[from: string, to: string]] | undefined {
  const [from, to] = [file.split('/'), target.split('/')];
  const shared = from.findIndex((name, index) => name !== to[index]);
  if (shared === -1 || shared + 1 >= from.length || shared + 1 >= to.length) return undefined;
  return [[from.slice(0, shared + 1).join('/'), to.slice(0, shared + 1).join('/')]];
}

test('these rules see what breaks them', () => {
  const body = (lines: number) => Array.from({ length: lines - 2 }, () => '  work();').join('\n');
  const source = `const short = (): number => 1;\nexport function long(): void {\n${body(41)}\n}\nclass Kind {\n  #method(x: string) {\n${body(42)}\n  }\n}\ndefine(async () => {\n${body(43)}\n});\n`;
  const measured = functionsOf('made-up.ts', source).map(({ name, lines }) => [name, lines]);
  assert.deepEqual(measured, [
    ['short', 1],
    ['long', 41],
    ['method', 42],
    ['define()', 43],
  ]);
  const titles = `test('one', () => {});\ntest.skip(\`two \${2} of \${3}\`, () => {});\nfor (const x of y) test(x, run);\nother('no title');\n`;
  assert.deepEqual(titlesOf(titles), ['one', 'two … of …']);
  const edges = graph([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['c', 'd'],
    ['d', 'd'],
    ['e', 'a'],
  ]);
  assert.deepEqual(circles(edges), [['a', 'b', 'c']]);
});

test.run();
