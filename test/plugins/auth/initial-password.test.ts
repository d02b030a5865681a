// The file of the initial password: a start names it only while its password is that of the administrator, whoever has changed that meanwhile.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { startServer } from '../../server.ts';

const ELSEWHERE = /^the initial password of admin is not in this data folder: .*--reset-admin makes a new one$/;

test('a password that another node has replaced by --reset-admin is neither named nor kept', async () => {
  const server = await startServer();
  const file = join(server.dataDir, 'initial-password');
  const stale = readFileSync(file, 'utf8');
  await server.stop();
  await (await startServer({ dataDir: server.dataDir, argv: ['--reset-admin'] })).stop();
  // As in the data folder of the node that has not reset it.
  writeFileSync(file, stale);
  const again = await startServer({ dataDir: server.dataDir });
  const [line = '', further = ''] = again.announcements;
  assert.match(line, /^sign in: curl -k -u admin -X POST /);
  assert.match(further, ELSEWHERE);
  assert.ok(!existsSync(file));
  await again.end();
  await server.end();
});

test('the file is named as long as its password is the right one, and not when it was changed', async () => {
  const server = await startServer();
  await server.stop();
  const again = await startServer({ dataDir: server.dataDir });
  assert.match(again.announcements[0] ?? '', /initial-password'\)"/);
  assert.ok(!again.announcements.some((each) => ELSEWHERE.test(each)));
  const { initialPassword } = again;
  assert.equal((await again.ask('POST', '/login?realm=_', { user: `admin:${initialPassword}`, body: { new_password: 'my own password' } })).status, 200);
  await again.stop();
  writeFileSync(join(server.dataDir, 'initial-password'), `${initialPassword}\n`);
  const third = await startServer({ dataDir: server.dataDir });
  assert.equal(third.announcements.length, again.announcements.length);
  assert.ok(!existsSync(join(server.dataDir, 'initial-password')));
  await third.end();
  await again.end();
  await server.end();
});

test.run();
