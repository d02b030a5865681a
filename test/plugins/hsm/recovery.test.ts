// Keys through what happens to tokens: one that goes and comes back, several slots, a process of its own, sessions that somebody else ends.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'uvu';
import { IS_ON_POSTGRES } from '../../database.ts';
import { until } from '../../runtime.ts';
import { signInAdmin } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { bytes, done, type HsmServer, identifier, kmip, makeSecret, refused, startHsmServer } from './hsm-server.ts';

const DATA = Buffer.from('to be kept');

const encrypt = (server: HsmServer, id: string) => kmip(server.admin, 'Encrypt', identifier(id), bytes('Data', DATA));

async function opens(server: HsmServer, id: string, sealed: Record<string, string>): Promise<void> {
  const members = ['Data', 'IVCounterNonce', 'AuthenticatedEncryptionTag'].map((tag) => bytes(tag, sealed[tag] as string));
  assert.equal((await done(kmip(server.admin, 'Decrypt', identifier(id), ...members)))['Data'], DATA.toString('hex').toUpperCase());
}

/** Outcomes of the audit rows of slots, oldest first. */
async function changesOf(server: HsmServer): Promise<string[]> {
  const { events } = (await server.ask('GET', '/audit?event=hsm.slot', { cookie: await signInAdmin(server) })).body;
  return (events as { time: number; seq: number; outcome: string }[]).toSorted((a, b) => a.time - b.time || a.seq - b.seq).map(({ outcome }) => outcome);
}

/** Moves the clock past a probe until the condition holds. */
function probedUntil(server: HsmServer, condition: () => Promise<boolean>, what: string): Promise<void> {
  const probed = async () => {
    await server.runtime.advance(1_001);
    return condition();
  };
  return until(probed, what, 20_000);
}

if (!skipWithout('softhsm2')) {
  for (const isolation of ['thread', 'process'])
    test(`${isolation}: while the token is away uses say so; when it is back they succeed, with the same key`, async () => {
      const server = await startHsmServer({ more: `isolation = "${isolation}"` });
      const id = `${server.prefix}key`;
      await done(makeSecret(server.admin, id));
      const sealed = await done(encrypt(server, id));
      server.hsm.hide();
      await probedUntil(server, async () => (await encrypt(server, id)).status !== 200, 'uses are refused');
      await refused(encrypt(server, id), /^General_Failure: slot \d+ of hsm::soft_hsm is not accessible: /);
      const software = await done(makeSecret(server.admin, 'in the database'));
      assert.equal(software['UniqueIdentifier'], 'in the database');
      server.hsm.show();
      await probedUntil(server, async () => (await encrypt(server, id)).status === 200, 'uses succeed again');
      await opens(server, id, sealed);
      assert.deepEqual(await changesOf(server), ['success', 'failure', 'success']);
      const { text: metrics } = await server.ask('GET', '/metrics');
      assert.match(metrics, /^gatehouse_hsm_operations_total\{instance="hsm::soft_hsm",operation="encrypt",outcome="CKR_OK"\} [2-9]/m);
      assert.match(metrics, /^gatehouse_hsm_operations_total\{instance="hsm::soft_hsm",operation="encrypt",outcome="unavailable"\} [1-9]/m);
      assert.match(metrics, /^gatehouse_hsm_operation_seconds_total\{instance="hsm::soft_hsm",operation="generate",outcome="CKR_OK"\} [\d.]*[1-9]/m);
      await server.end();
    });

  if (!IS_ON_POSTGRES)
    test('uses of a key by an administrator read its row once, not each time', async () => {
      const server = await startHsmServer();
      const id = `${server.prefix}key`;
      await done(makeSecret(server.admin, id));
      const all = () => Promise.all(Array.from({ length: 32 }, () => done(encrypt(server, id))));
      // Each thread of the key server reads it once.
      for (let round = 0; round < 3; round++) await all();
      const db = new DatabaseSync(join(server.dataDir, 'gatehouse.db'), { timeout: 5_000 });
      // Whoever reads it now takes it for none, and looks for the key on the token.
      db.prepare('UPDATE kms_object SET seal = ? WHERE id = ?').run(new Uint8Array(64), id);
      db.close();
      await all();
      const { text: metrics } = await server.ask('GET', '/metrics');
      assert.match(metrics, /^gatehouse_hsm_operations_total\{instance="hsm::soft_hsm",operation="encrypt",outcome="CKR_OK"\} 128$/m);
      const finds = /^gatehouse_hsm_operations_total\{.*operation="find",outcome="CKR_OK"\} (\d+)$/m.exec(metrics)?.[1] ?? '0';
      assert.equal(finds, '0');
      await server.end();
    });

  test('slots of one instance have keys of one name, each its own', async () => {
    const server = await startHsmServer({ slots: 2 });
    const ids = server.slots.map((slot) => `hsm::soft_hsm::${slot}::key`) as [string, string];
    for (const id of ids) await done(makeSecret(server.admin, id));
    const sealed = await done(encrypt(server, ids[0]));
    await opens(server, ids[0], sealed);
    await assert.rejects(opens(server, ids[1], sealed), /Cryptographic_Failure/);
    const { all } = await done(kmip(server.admin, 'Locate'));
    assert.deepEqual(all('UniqueIdentifier').toSorted(), ids.toSorted());
    await server.end();
  });

  test('a key that somebody else removed from the token is missed by its name, and comes back as another', async () => {
    const server = await startHsmServer();
    const id = `${server.prefix}key`;
    await done(makeSecret(server.admin, id));
    const sealed = await done(encrypt(server, id));
    server.hsm.tool(server.slot, "destroy(4, 'key')");
    await refused(encrypt(server, id), /^Item_Not_Found: the token has no secret key key$/);
    server.hsm.tool(server.slot, "aes('key')");
    await assert.rejects(opens(server, id, sealed), /Cryptographic_Failure/);
    await done(encrypt(server, id));
    await server.end();
  });
  test.run();
}
