// kill -9 at random moments of a thousand mixed writes: nothing that was answered is lost, nothing is half there, and the audit log is whole.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from '@node-rs/argon2';
import { test } from 'uvu';
import { type AuditRow, auditHash } from '../../kernel/store/audit.ts';
import { until } from '../runtime.ts';
import { temporaryFolder } from '../server.ts';
import { Ledger } from './ledger.ts';
import { exitOf, integrity, rowsOf, type Started, serverPid, start } from './started.ts';
import { writeOn } from './writes.ts';

const WRITES = 1_000;
const WRITERS = 8;
const password = 'known to the test';
const phc = hashSync(password, { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4 });
const env = {
  GATEHOUSE_ADMIN_PASSWORD: 'initial password',
  GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '100000',
  GATEHOUSE_AUTH_LOGIN_RATE_BURST: '100000',
};

/** Each answers rows that must not be. */
const HALVES: Readonly<Record<string, string>> = {
  'credentials without a realm': 'SELECT * FROM userpass WHERE realm NOT IN (SELECT id FROM realm)',
  'memberships without an admin': 'SELECT * FROM admin_realm WHERE admin NOT IN (SELECT id FROM admin)',
  'memberships without a realm': 'SELECT * FROM admin_realm WHERE realm NOT IN (SELECT id FROM realm)',
  'second factors without a credential':
    'SELECT * FROM totp WHERE NOT EXISTS (SELECT 1 FROM userpass u WHERE u.realm = totp.realm AND u.username = totp.username)',
  'sessions without a credential': 'SELECT * FROM session s WHERE NOT EXISTS (SELECT 1 FROM userpass u WHERE u.realm = s.realm AND u.username = s.username)',
  'sessions without their row in the audit log':
    "SELECT * FROM session WHERE id NOT IN (SELECT target FROM audit WHERE event = 'login' AND outcome = 'success' AND target IS NOT NULL)",
  'credentials without their row in the audit log':
    "SELECT * FROM userpass u WHERE realm <> '_' AND NOT EXISTS (SELECT 1 FROM audit a WHERE a.event = 'credential.create' AND a.realm = u.realm AND a.target = u.username)",
};

async function checkFile(path: string): Promise<void> {
  assert.equal(await integrity(path), 'ok');
  for (const [what, sql] of Object.entries(HALVES)) assert.deepEqual(await rowsOf(path, sql), [], what);
  const rows = await rowsOf<AuditRow>(path, 'SELECT * FROM audit ORDER BY stream, seq');
  const last = new Map<string, AuditRow>();
  for (const row of rows) {
    const before = last.get(row.stream);
    assert.deepEqual([row.seq, row.prev], [(before?.seq ?? 0) + 1, before ? auditHash(before) : ''], `${row.stream} ${row.seq}`);
    last.set(row.stream, row);
  }
}

async function killUnderWrites(server: Started, root: string, ledger: Ledger, round: number): Promise<void> {
  const from = ledger.answered;
  const most = 80 + Math.floor(Math.random() * 160);
  const writers = Array.from({ length: WRITERS }, (_, n) => writeOn({ ask: server.ask, root, ledger, realm: `w${round}-${n}`, phc, password }));
  const all = Promise.all(writers);
  all.catch((error: unknown) => console.log(String(error)));
  await until(() => ledger.answered - from >= most, `${most} writes are answered`, 30_000);
  // Not at the moment of an answer: anywhere between two.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
  process.kill(serverPid(server), 'SIGKILL');
  await all;
  await exitOf(server.child);
}

test('a thousand writes under kill -9', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const file = join(dataDir, 'gatehouse.db');
  const ledger = new Ledger();
  let server = await start(dataDir, [], env);
  // A test that fails must not leave a server behind; one that has ended does not mind.
  process.on('exit', () => server.child.kill('SIGKILL'));
  test.after(() => void server.child.kill('SIGKILL'));
  const root = (await server.ask('POST', '/login?realm=_', { user: 'admin:initial password', body: { new_password: 'a new password' } })).cookie as string;
  let rounds = 0;
  for (; ledger.answered < WRITES; rounds++) {
    await killUnderWrites(server, root, ledger, rounds);
    await checkFile(file);
    server = await start(dataDir, [], env);
    assert.deepEqual(await ledger.check(server.ask, root), []);
  }
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  await checkFile(file);
  console.log(`${ledger.answered} writes answered, ${rounds} kills, ${ledger.size} places looked at`);
  assert.ok(rounds >= 4 && ledger.size > 400);
  rmSync(dataDir, { recursive: true });
});

test.run();
