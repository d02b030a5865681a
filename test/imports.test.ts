// Who may import whom, held for every file: the kernel knows nobody, actors know a few kernel files and each other's types only.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = globSync('{kernel,kmip,crypto,plugins,actors}/**/*.ts', { cwd: root });

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const imports: Import[] = files.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export) (type )?(?:[^'";]*? from )?'(\.[^']+)';|import\('(\.[^']+)'\)/gm)].map(
    ([, type, from, dynamic]) => ({
      file,
      target: normalize(join(dirname(file), (from ?? dynamic) as string)),
      typeOnly: type !== undefined,
    }),
  ),
);

/** Kernel files that an actor may use at run time. */
const FOR_ACTORS = /^kernel\/(actor|data-key|fault|seal|versions|store\/[a-z-]+|runtime\/bytes|http\/outbound)\.ts$/;

/** What anybody may use: the protocol and the algorithms. They know no actor, no plugin and no store. */
const LIBRARIES = /^(kmip|crypto)\//;

/** What actors ask or do in the transactions of others: an owner's statements on its own tables, where two owners' rows change together. */
const IN_TRANSACTIONS: ReadonlySet<string> = new Set([
  'actors/directory/administered.ts', // what a caller administers, asked again by every change that needs a right
  'actors/directory/proof.ts', // whether a proof still holds, asked when a session is made
  'actors/session/end.ts', // the end of sessions, with the change of what they were made from
]);

const folder = (path: string, depth: number) => path.split('/').slice(0, depth).join('/');

function offenders(rule: (each: Import) => boolean): string[] {
  return imports.filter((each) => !rule(each)).map(({ file, target, typeOnly }) => `${file} imports ${typeOnly ? 'types of ' : ''}${target}`);
}

test('the imports were found', () => {
  assert.ok(imports.length > 200 && imports.some(({ typeOnly }) => typeOnly));
});

test('the kernel imports nothing from plugins or actors', () => {
  assert.deepEqual(
    offenders(({ file, target }) => !file.startsWith('kernel/') || target.startsWith('kernel/')),
    [],
  );
});

test('actors import their own folder, what the kernel has for actors, and of others the types of their api', () => {
  const rule = ({ file, target, typeOnly }: Import) =>
    !file.startsWith('actors/') ||
    folder(file, 2) === folder(target, 2) ||
    LIBRARIES.test(target) ||
    FOR_ACTORS.test(target) ||
    IN_TRANSACTIONS.has(target) ||
    (typeOnly && (target.startsWith('kernel/') || /^actors\/[^/]+\/api\.ts$/.test(target)));
  assert.deepEqual(offenders(rule), []);
});

test('the libraries import each other, and of the kernel what a fault is', () => {
  const rule = ({ file, target }: Import) => !LIBRARIES.test(file) || LIBRARIES.test(target) || target === 'kernel/fault.ts';
  assert.deepEqual(offenders(rule), []);
});

test('plugins import the kernel, the libraries, their own folder, and of actors and other plugins nothing but types', () => {
  const rule = ({ file, target, typeOnly }: Import) =>
    !file.startsWith('plugins/') ||
    file === 'plugins/index.ts' ||
    target.startsWith('kernel/') ||
    LIBRARIES.test(target) ||
    folder(file, 2) === folder(target, 2) ||
    (typeOnly && target.startsWith('actors/'));
  assert.deepEqual(offenders(rule), []);
});

test('every file begins with its job in one sentence, and none is called utils, helpers or common', () => {
  for (const file of [...files, ...globSync('{test,bench}/**/*.ts', { cwd: root })]) {
    assert.match(readFileSync(join(root, file), 'utf8').split('\n')[0] as string, /^\/\/ .+[.:]$/, file);
    assert.ok(!/(^|[/-])(utils?|helpers?|common)([./-]|$)/.test(file), file);
  }
});

test('files are short; a longer one is named here with its reason', () => {
  const reasons: Readonly<Record<string, string>> = {
    'kmip/ttlv/enumeration.ts': 'the table of a specification',
    'kmip/ttlv/tag.ts': 'the table of a specification',
  };
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 220 && !(file in reasons));
  assert.deepEqual(long, []);
});

test.run();
