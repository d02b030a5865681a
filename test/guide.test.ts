// The examples of CONTRIBUTING.md do what it says: as they stand there, they pass the compiler of types, and a server loads them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { signInAdmin, startServer, temporaryFolder } from './server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true, force: true }));

const EXAMPLES = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text as string);
const exampleWith = (words: string) => EXAMPLES.find((text) => text.includes(words)) ?? assert.fail(`no example has ${words}`);
/** Where its reader writes each. */
const FILES: Readonly<Record<string, string>> = {
  'plugins/greet/plugin.ts': exampleWith('definePlugin'),
  'plugins/greet/actors.ts': exampleWith('pinned<CounterApi'),
  'actors/counter/counter.actor.ts': exampleWith('defineActor<CounterApi'),
  'actors/counter/api.ts': `export ${/`(type CounterApi = [^`]+)`/.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))?.[1] ?? assert.fail('no CounterApi')};\n`,
  'my-model.ts': exampleWith("model: 'my_token'"),
};

test.before(() => {
  for (const name of ['kernel', 'node_modules', 'package.json', 'tsconfig.json']) symlinkSync(join(root, name), join(folder, name));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

test('the examples pass the compiler of types with the options of this tree', () => {
  assert.equal(Object.keys(FILES).length - 1, EXAMPLES.length, 'an example is not tried here');
  const options = { extends: './tsconfig.json', compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] }, include: Object.keys(FILES) };
  writeFileSync(join(folder, 'examples.json'), JSON.stringify(options));
  const compiler = join(root, 'node_modules/.bin/tsc');
  const { stdout, stderr } = spawnSync(compiler, ['--noEmit', '--listFilesOnly', '-p', 'examples.json'], { cwd: folder, encoding: 'utf8' });
  for (const path of Object.keys(FILES)) assert.ok(stdout.includes(`/${path}`), `${path} was not read: ${stderr}`);
  const { stdout: told } = spawnSync(compiler, ['--noEmit', '-p', 'examples.json'], { cwd: folder, encoding: 'utf8' });
  // The rest of the tree is checked with what declares types for all of it.
  assert.deepEqual(
    told.split('\n').filter((line) => Object.keys(FILES).some((path) => line.startsWith(path))),
    [],
  );
});

test('the plugin answers with its own configuration, and the model of an HSM is one', async () => {
  const modules = `[[plugins]]\nmodule = "${join(folder, 'plugins/greet/plugin.ts')}"\n[greet]\ngreeting = "servus"\n[[hsm_models]]\nmodule = "${join(folder, 'my-model.ts')}"\n`;
  const server = await startServer({ config: `${modules}[[hsm_instances]]\nhsm_model = "my_token"\nhsm_slot = [0]\nhsm_password = ["1234"]\n` });
  try {
    const cookie = await signInAdmin(server);
    assert.equal((await server.ask('GET', '/greet/Ada', { cookie })).body, 'servus, Ada');
    assert.deepEqual([(await server.ask('GET', '/greet/Ada')).status, (await server.ask('GET', '/greet/a%00b', { cookie })).status], [401, 404]);
    assert.equal((await server.ask('GET', '/hsm/status', { cookie })).body[0].prefix, 'hsm::my_token');
  } finally {
    await server.end();
  }
});

test.run();
