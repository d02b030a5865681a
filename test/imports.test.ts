// Who may import whom, held for every file: the kernel knows nobody, actors know a few kernel files and each other's types only.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { SOURCES as files, type Import, IMPORTS as imports } from './house/sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Kernel files that an actor may use at run time. */
const FOR_ACTORS =
  /^kernel\/(address-list|at-once|actor|disk\/disk-trouble|fault|give-back|keys\/(data-key|seal)|normal-form|repeat|ring|versions|store\/[a-z-]+|runtime\/(channel\/(bytes|encoded-page)|measure\/(idle-time|thread-time)|thread\/child)|http\/(outbound|body\/nesting)|config\/secret-file|tracing\/(span|outgoing))\.ts$/;

/** What anybody may use: the protocols and the algorithms. They know no actor, no plugin and no store. */
const LIBRARIES = /^(kmip|crypto|jose|text)\//;

/** What actors ask or do in the transactions of others: an owner's statements on its own tables, where two owners' rows change together. */
const IN_TRANSACTIONS: ReadonlySet<string> = new Set([
  'actors/directory/administered.ts', // what a caller administers, asked again by every change that needs a right
  'actors/directory/proof.ts', // whether a proof still holds, asked when a session is made
  'actors/session/end.ts', // the end of sessions, with the change of what they were made from
  'actors/session/room.ts', // whether a session may begin, before a sign-in changes anything
]);

const folder = (path: string, depth: number) => path.split('/').slice(0, depth).join('/');

function offenders(rule: (each: Import) => boolean): string[] {
  return imports.filter((each) => !rule(each)).map(({ file, target, typeOnly }) => `${file} imports ${typeOnly ? 'types of ' : ''}${target}`);
}

test('the imports were found', () => {
  assert.ok(imports.length > 200 && imports.some(({ typeOnly }) => typeOnly));
});

/** Three files about JSON, what issues the certificate of a server that was given none, and the pool of random bytes that become public. */
const FOR_THE_KERNEL = /^(text\/(repeated-member|lost-number|json-string)|crypto\/(x509\/certificate|signature\/sign|random))\.ts$/;

test('the kernel imports nothing from plugins or actors, and of the libraries six files', () => {
  assert.deepEqual(
    offenders(({ file, target }) => !file.startsWith('kernel/') || target.startsWith('kernel/') || FOR_THE_KERNEL.test(target)),
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

test('the protocols import themselves and the algorithms; KMIP knows nothing of JOSE', () => {
  assert.deepEqual(
    offenders(({ file, target }) => !/^(kmip|jose)\//.test(file) || LIBRARIES.test(target)),
    [],
  );
  assert.deepEqual(
    offenders(({ file, target }) => !file.startsWith('kmip/') || !target.startsWith('jose/')),
    [],
  );
});

test('the algorithms import each other and nothing else of this server', () => {
  assert.deepEqual(
    offenders(({ file, target }) => !file.startsWith('crypto/') || target.startsWith('crypto/')),
    [],
  );
});

test('an operation of KMIP is one file: no other imports it, but the list of all, which only the actor has', () => {
  const operations = 'actors/kmip/operations/';
  const rule = ({ file, target }: Import) =>
    !target.startsWith(operations) ||
    file === `${operations}index.ts` ||
    (/^actors\/kmip\/kmip\.(actor|beside)\.ts$/.test(file) && target === `${operations}index.ts`);
  assert.deepEqual(offenders(rule), []);
  const declarations = (file: string) => readFileSync(join(root, file), 'utf8').match(/^export .*/gm) ?? [];
  for (const file of files.filter((each) => each.startsWith(operations) && each !== `${operations}index.ts`)) {
    assert.equal(declarations(file).length, 1, `${file} exports one declaration: ${declarations(file).join(' ')}`);
    assert.match(readFileSync(join(root, file), 'utf8'), /^} satisfies Operation;$/m, file);
  }
});

test('plugins import the kernel, the libraries, their own folder, and only types of actors', () => {
  const rule = ({ file, target, typeOnly }: Import) =>
    !file.startsWith('plugins/') ||
    file === 'plugins/index.ts' ||
    target.startsWith('kernel/') ||
    LIBRARIES.test(target) ||
    folder(file, 2) === folder(target, 2) ||
    (typeOnly && target.startsWith('actors/'));
  assert.deepEqual(offenders(rule), []);
});

test('the client imports nothing but itself, and nothing of Node: browsers run it too', () => {
  assert.deepEqual(
    offenders(({ file, target }) => !file.startsWith('client/') || target.startsWith('client/')),
    [],
  );
  for (const file of files.filter((each) => each.startsWith('client/')))
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /^(?:import|export) .*from '[^.]/m, file);
});

test('the command knows the server by the client alone; what it does on its own machine is named here', () => {
  /** The profile is a private file; doctor and config check read the configuration, doctor also revocation lists, the root key, whether it opens the data keys, and which version made the tables; disk-trouble.ts words what a disk refuses, file-kind.ts what lies in a wrong place, encoding.ts what a database cannot keep, hidden-rows.ts what it hides; text-file.ts reads what people write; model.ts has the bar of its downloads. */
  const LOCAL =
    /^(crypto\/x509\/(certificate-facts|distinguished-name|revocation-list)\.ts|kernel\/(disk\/(private-file|disk-trouble)|file-kind|keys\/(root-key|keyring|data-key-row)|pem|start\/(configure|configured-files)|config\/(config-error|text-file)|catalog\/migrations|store\/(store-url|encoding|hidden-rows|migrate))\.ts|actors\/model\/hub\/progress\.ts|plugins\/(index|hsm\/instances)\.ts)$/;
  assert.deepEqual(
    offenders(({ file, target, typeOnly }) => !file.startsWith('command/') || typeOnly || /^(command|client)\//.test(target) || LOCAL.test(target)),
    [],
  );
});

test('every file begins with its job in one sentence, and none is called utils, helpers or common', () => {
  for (const file of [...files, ...globSync('{test,bench,soak}/**/*.ts', { cwd: root })]) {
    const text = readFileSync(join(root, file), 'utf8');
    assert.match(text.split('\n')[0] as string, /^\/\/ .+[.:]$/, file);
    assert.doesNotMatch(text, /^.+\n\nimport /, `${file}: imports follow at once`);
    assert.ok(!/(^|[/-])(utils?|helpers?|common)([./-]|$)/.test(file), file);
  }
});

test.run();
