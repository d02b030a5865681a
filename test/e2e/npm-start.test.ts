// npm start as a process manager runs it: whatever ends npm ends the server, and not before it has finished.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { isAlive } from '../processes.ts';
import { until } from '../runtime.ts';
import { temporaryFolder, WITHOUT_SELF_TESTS } from '../server.ts';
import { exitOf, root, STAYING } from './started.ts';

const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
const familyOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...familyOf(child)]);

async function npmStart(env: NodeJS.ProcessEnv, command: readonly string[] = ['start', '--']) {
  const dataDir = join(temporaryFolder(), 'data');
  const npm = spawn('npm', [...command, '--data-dir', dataDir, '--port', '0'], {
    cwd: root,
    env: { ...process.env, ...WITHOUT_SELF_TESTS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '' };
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (data) => (output.text += data));
  await until(() => /is ready at/.test(output.text) || npm.exitCode !== null, 'the server is ready', 120_000);
  assert.match(output.text, /is ready at/);
  return { npm, output, family: familyOf(npm.pid as number), dataDir };
}

for (const [where, env] of [
  ['in place of the launcher', {}],
  ['below the launcher', STAYING],
] as const) {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal} to npm stops the server ${where}, which has ended before npm does`, async () => {
      const { npm, output, family, dataDir } = await npmStart(env);
      npm.kill(signal);
      assert.equal(await exitOf(npm), 0, output.text);
      assert.deepEqual(family.filter(isAlive), []);
      assert.match(output.text, new RegExp(`"signal":"${signal}","msg":"stopping"`));
      rmSync(dataDir, { recursive: true });
    });

  for (const signal of ['SIGHUP', 'SIGKILL'] as const)
    test(`after the end of npm by ${signal} the server ${where} stops by itself`, async () => {
      const { npm, output, family, dataDir } = await npmStart(env);
      npm.kill(signal);
      await until(() => !family.some(isAlive), 'the server has ended');
      assert.match(output.text, /"signal":"SIGTERM","msg":"stopping"/);
      rmSync(dataDir, { recursive: true });
    });
}

test('a server of npx gatehouse start stops by itself when npx has been told to stop', async () => {
  const { npm, output, family, dataDir } = await npmStart({}, ['exec', '--', 'gatehouse', 'start']);
  npm.kill('SIGTERM');
  await until(() => !family.some(isAlive), 'the server has ended');
  assert.match(output.text, /"signal":"SIGTERM","msg":"stopping"/);
  rmSync(dataDir, { recursive: true });
});

test.run();
