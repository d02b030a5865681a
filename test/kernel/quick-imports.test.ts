// The hook of imports in a program of its own: it answers for sources in all threads, and leaves packages to Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { temporaryFolder } from '../server.ts';

const HOOK = fileURLToPath(new URL('../../kernel/quick-imports.mjs', import.meta.url));
/** Tells where it was found. Node looks where the link leads; the hook does not ask. */
const SOURCE = "export const name = import.meta.url.split('/').at(-1);\n";

/** @param kind of its sources: those of a clone, or of a package */
function program(files: Readonly<Record<string, string>>, kind = 'ts') {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', [`target.${kind}`]: SOURCE, ...files })) write(path, text);
  mkdirSync(join(folder, 'kernel'));
  cpSync(HOOK, join(folder, 'kernel/quick-imports.mjs'));
  symlinkSync(join(folder, `target.${kind}`), join(folder, `link.${kind}`));
  return {
    run(...flags: readonly string[]) {
      const { stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, join(folder, `main.${kind}`)], {
        encoding: 'utf8',
      });
      return stdout || stderr;
    },
    hook: ['--import', join(folder, 'kernel/quick-imports.mjs')],
    end: () => rmSync(folder, { recursive: true }),
  };
}

for (const kind of ['ts', 'js'])
  test(`imports of sources (${kind}) are answered without a look at the file, in the main thread and in others`, () => {
    const main = `import { isMainThread, Worker } from 'node:worker_threads';
import { name } from './link.${kind}';
console.log(isMainThread, name);
if (isMainThread) new Worker(new URL(import.meta.url));
`;
    const { run, hook, end } = program({ [`main.${kind}`]: main }, kind);
    assert.equal(run(), `true target.${kind}\nfalse target.${kind}\n`);
    assert.equal(run(...hook), `true link.${kind}\nfalse link.${kind}\n`);
    end();
  });

test('a folder of somebody else in a clone has modules of its own kind', () => {
  const { run, hook, end } = program({
    'main.ts': "import { said } from './own/model.ts';\nconsole.log(said);\n",
    'own/model.ts': "import part from './part.js';\nexport const said = part;\n",
    'own/package.json': '{}',
    'own/part.js': "module.exports = 'CommonJS beside a clone';\n",
  });
  assert.deepEqual([run(), run(...hook)], ['CommonJS beside a clone\n', 'CommonJS beside a clone\n']);
  end();
});

test('a package finds its own modules as Node finds them, whatever their form', () => {
  const { run, hook, end } = program({
    'main.ts': "import { name } from 'modules';\nimport old from 'old';\nconsole.log(name, old);\n",
    'node_modules/modules/package.json': '{"type":"module","exports":"./index.js"}',
    'node_modules/modules/index.js': "import inner from './inner/index.js';\nexport const name = inner;\n",
    'node_modules/modules/inner/package.json': '{"type":"commonjs"}',
    'node_modules/modules/inner/index.js': "module.exports = 'CommonJS in a package of modules';\n",
    'node_modules/old/package.json': '{"main":"./index.js"}',
    'node_modules/old/index.js': "module.exports = require('./part.js');\n",
    'node_modules/old/part.js': "module.exports = 'CommonJS';\n",
  });
  const said = 'CommonJS in a package of modules CommonJS\n';
  assert.deepEqual([run(), run(...hook)], [said, said]);
  end();
});

test('a source that is not there is named', () => {
  const { run, hook, end } = program({ 'main.ts': "import './missing.ts';\n" });
  assert.match(run(...hook), /missing\.ts/);
  end();
});

test.run();
