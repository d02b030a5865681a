// What packages hold: JavaScript with the lines of its source, no file that is not the program's, and a client that others compile against.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { javaScriptOf } from '../../packaging/emit.ts';
import { programFiles, ROOT } from '../../packaging/program.ts';
import { stage } from '../../packaging/stage.ts';
import { temporaryFolder } from '../server.ts';

test('names of sources change in imports and addresses of modules, not in comments and other texts', () => {
  const source = [
    `import { a, type B } from './a.ts';`,
    `export * from '../b/c.ts';`,
    `// see './a.ts'`,
    `const host = new URL("./host.ts", import.meta.url);`,
    `const told = 'the module ./a.ts is missing';`,
    `export const load = async (x: B) => (await import('./d.ts')).run(x as never, host, told, a);`,
  ].join('\n');
  assert.equal(
    javaScriptOf(source, 'made-up.ts').replaceAll(/ +/g, ' '),
    [
      `import { a, } from './a.js';`,
      `export * from '../b/c.js';`,
      `// see './a.ts'`,
      `const host = new URL("./host.js", import.meta.url);`,
      `const told = 'the module ./a.ts is missing';`,
      `export const load = async (x ) => (await import('./d.js')).run(x , host, told, a);`,
    ]
      .join('\n')
      .replaceAll(/ +/g, ' '),
  );
});

test('the name of a module that is put together stops the build, because nothing could change it', () => {
  const source = ['const at = (name) => new URL(`./actors/$', '{name}.ts`, import.meta.url);'].join('');
  assert.throws(() => javaScriptOf(source, 'made-up.ts'), /must be one string/);
});

test('a file of a kind that no package holds stops the build', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'kernel'));
  writeFileSync(join(root, 'kernel/run.ts'), '');
  assert.ok(programFiles(root).includes('kernel/run.ts'));
  writeFileSync(join(root, 'kernel/secret.key'), '');
  assert.throws(() => programFiles(root), /secret\.key/);
  rmSync(root, { recursive: true });
});

test('a package holds the program and no source, test or script; its client compiles in projects of others', () => {
  const folder = join(temporaryFolder(), 'package');
  stage(folder, 'npm');
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  assert.ok(paths.length > 500);
  assert.deepEqual(
    paths.filter((path) => (/\.m?ts$/.test(path) && !path.endsWith('.d.ts')) || /^(test|bench|packaging|node_modules)\//.test(path)),
    [],
  );
  for (const path of paths.filter((each) => /\.m?js$/.test(each) && !each.includes('/page/')))
    for (const [, target] of readFileSync(join(folder, path), 'utf8').matchAll(/(?:from |import\(|new URL\()'(\.{1,2}\/[^']+\.js)'/g))
      assert.ok(existsSync(join(folder, path, '..', target as string)), `${path} names ${target}`);
  const made = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual([made['scripts'], made['devDependencies'], made['bin']], [undefined, undefined, { gatehouse: 'bin/gatehouse.mjs' }]);
  usedByOthers(folder);
  rmSync(join(folder, '..'), { recursive: true });
});

/** A program of somebody who has installed the package. Lines with the remark must not compile. */
const CONSUMER = `import { Client, type Answer, type Calls, GatehouseError, openEnvelope, sealEnvelope } from 'gatehouse/client';

const client = new Client({ address: 'https://keys.example:8443', credential: { token: 'a token' } });
const { kid }: Answer<'POST /v1/crypto/keys'> = await client.call('POST /v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } });
const body: Calls['POST /v1/crypto/encrypt']['body'] = { kid: kid as string, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' };
await client.call('POST /v1/crypto/encrypt', { body });
for await (const key of client.list('GET /access/owned')) key.object_id.toUpperCase();
for await (const { data } of client.pages('GET /auth/approle/role/{name}/tokens', { params: { name: 'web' } })) data.tokens[0]?.accessor.toUpperCase();
for await (const part of sealEnvelope(openEnvelope((async function* () {})(), async () => new Uint8Array()), async () => '{}')) part.byteLength.toFixed();
try {
  await client.kmip('Get', []);
} catch (error) {
  if (error instanceof GatehouseError) error.status.toFixed();
}
// @ts-expect-error: there is no such call
await client.call('GET /nothing');
// @ts-expect-error: a parameter of the path is missing
await client.call('GET /access/list/{object_id}');
// @ts-expect-error: a number where a text belongs
await client.call('POST /v1/crypto/encrypt', { body: { ...body, kid: 1 } });
// @ts-expect-error: not a list
client.list('GET /me');
`;

/** @param folder of the package: its client compiles in strict projects of others, for Node and for browsers, with the declarations checked too */
function usedByOthers(folder: string): void {
  const project = join(folder, '../project');
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  symlinkSync(folder, join(project, 'node_modules/gatehouse'));
  for (const name of ['@types/node', 'undici-types']) symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'use.ts'), CONSUMER);
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: false, target: 'es2024' };
  const kinds = {
    node: { module: 'nodenext', lib: ['es2024'], types: ['node'] },
    browser: { module: 'esnext', moduleResolution: 'bundler', lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  };
  for (const [kind, more] of Object.entries(kinds)) {
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...strict, ...more }, files: ['use.ts'] }));
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' });
    assert.equal(status, 0, `${kind}: ${stdout}`);
  }
}

test.run();
