// What packages hold: JavaScript with the lines of its source, and no file that is not the program's.
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { javaScriptOf } from '../../packaging/emit.ts';
import { programFiles } from '../../packaging/program.ts';
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

test('a package holds the program: every module that one names is there, no source, no test, no script', () => {
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
  rmSync(join(folder, '..'), { recursive: true });
});

test.run();
