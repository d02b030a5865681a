// A store that the bench has filled is one that a server works with: it lists, finds and opens what was filled, and a run that was interrupted goes on.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'uvu';
import { fill, type Kind, UnfitStore } from '../../bench/filling/fill.ts';
import { keyName } from '../../bench/filling/objects.ts';
import { e, json, memberOf, s, t } from '../../bench/load/kmip-json.ts';
import { getBy, WITH_EMPTY } from '../../bench/server/key-server.ts';
import { startServerProcess } from '../../bench/server/server-process.ts';
import { rowsAsked } from '../../bench/views/rows-asked.ts';
import { createClock } from '../../kernel/clock.ts';
import { type AuditRow, auditHash } from '../../kernel/store/audit.ts';
import { openStore } from '../../kernel/store/open.ts';
import { temporaryFolder } from '../server.ts';

const SIZES = { objects: 300, users: 200, sessions: 1_200, machines: 300, admins: 20, audit: 6_000 };

test('a server answers everything that the question rows asks', async () => {
  const server = await startServerProcess(WITH_EMPTY, 1);
  const url = `sqlite:${join(server.dataDir, 'gatehouse.db')}`;
  const place = { url, dataDir: server.dataDir, rootKey: '' };
  try {
    // Interrupted after the first batch of the audit log.
    const told: Partial<Record<Kind, number>> = {};
    const upTo = (kind: Kind, there: number) => {
      told[kind] = there;
      return kind !== 'audit';
    };
    await fill(place, SIZES, upTo);
    assert.deepEqual(told, { ...SIZES, audit: 5_000 });
    assert.deepEqual(await fill(place, { ...SIZES, users: 10 }, () => true), SIZES);
    const { cookie, ask } = server;
    for (const { request } of await rowsAsked(server, SIZES.objects)) await ask(request);
    const list = async (path: string) => JSON.parse(await ask({ method: 'GET', path, headers: { cookie } })) as unknown[];
    assert.equal((await list('/access/owned')).length, 270);
    assert.equal((await list('/access/obtained')).length, 30);
    assert.equal((await list('/realms/filled/userpass')).length, SIZES.users);
    const found = await ask(json(cookie, ['Locate', [s('Attributes', s('Name', t('NameValue', keyName(7)), e('NameType', 'UninterpretedTextString')))]]));
    const key = await ask(json(cookie, getBy(memberOf(found, 'UniqueIdentifier'))));
    assert.match(key, /"KeyMaterial"/);
    await checkChain(url);
  } finally {
    await server.stop();
  }
});

test('a store that no server was started with is refused', async () => {
  const dataDir = temporaryFolder();
  await assert.rejects(
    fill({ url: `sqlite:${join(dataDir, 'gatehouse.db')}`, dataDir, rootKey: '' }, SIZES, () => true),
    UnfitStore,
  );
});

/** Each row holds the hash of the one before. */
async function checkChain(url: string): Promise<void> {
  const store = await openStore(url, { writer: 'checking', clock: createClock() });
  const rows = await store.all<AuditRow>("SELECT * FROM audit WHERE stream = 'filled' ORDER BY seq");
  await store.close();
  assert.equal(rows.length, SIZES.audit);
  for (const [at, row] of rows.entries()) assert.equal(row.prev, at === 0 ? '' : auditHash(rows[at - 1] as AuditRow));
}

test.run();
