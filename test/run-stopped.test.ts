// A run that is stopped ends its test files and its PostgreSQL, and begins nothing more.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import { file, ROOT, removeRepositories, repository } from './made-up-run.ts';
import { isAlive } from './processes.ts';
import { until } from './runtime.ts';
import { temporaryFolder } from './server.ts';
import { skipWithout } from './system.ts';

test.after(removeRepositories);

const FILES = 6;
const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

if (!skipWithout('postgresql'))
  test('SIGTERM to a run leaves no process behind', async () => {
    const folder = temporaryFolder();
    const told = (at: number) => join(folder, String(at));
    const hangs = (at: number) =>
      file(
        // What the runner looks for in files that want its PostgreSQL.
        "import { writeFileSync } from 'node:fs'; import {} from '../../stores.ts';",
        `writeFileSync('${told(at)}', process.pid + ' ' + new URL(process.env['GATEHOUSE_TEST_RUN_POSTGRES']).port);`,
        "test('hangs', () => new Promise((done) => setTimeout(done, 60_000)));",
      );
    const root = repository({
      'stores.ts': '',
      ...Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`kernel/store/${at}`, hangs(at)])),
    });
    const run = spawn(process.execPath, [join(ROOT, 'test/run.ts'), '--root', root], { env: { ...process.env, CI: '' }, stdio: 'ignore' });
    const begun = () => Array.from({ length: FILES }, (_, at) => told(at)).filter((path) => existsSync(path) && readFileSync(path, 'utf8').includes(' '));
    await until(() => begun().length > 0, 'a file runs', 60_000);
    const [, port] = (readFileSync(begun()[0] as string, 'utf8').split(' ') as [string, string]).map(Number) as [number, number];
    assert.ok(await isListening(port));
    run.kill('SIGTERM');
    assert.deepEqual(await once(run, 'exit'), [1, null]);
    assert.equal(await isListening(port), false);
    await until(() => begun().every((path) => !isAlive(Number(readFileSync(path, 'utf8').split(' ')[0]))), 'the files ended');
    assert.ok(begun().length < FILES, 'all files began');
    rmSync(folder, { recursive: true });
  });

test.run();
