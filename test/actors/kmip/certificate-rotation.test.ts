// A certificate that is due is renewed by the server itself, over a real store.
import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { BatchContext } from '../../../actors/kmip/context.ts';
import { CorrelationRate } from '../../../actors/kmip/message/correlation-rate.ts';
import { linkedTo } from '../../../actors/kmip/object/create.ts';
import { databaseObjects } from '../../../actors/kmip/object/database-objects.ts';
import { certificateOf } from '../../../actors/kmip/object/forms/certificate-content.ts';
import { applyEvent } from '../../../actors/kmip/object/life/lifecycle.ts';
import type { Draft } from '../../../actors/kmip/object/managed-object.ts';
import { ObjectRouter } from '../../../actors/kmip/object/object-router.ts';
import { ObjectCache } from '../../../actors/kmip/object/rows/cache.ts';
import { ContentRoom } from '../../../actors/kmip/object/rows/content-room.ts';
import { ObjectRows } from '../../../actors/kmip/object/rows/rows.ts';
import { softwareKeys } from '../../../actors/kmip/object/software-key/software-key.ts';
import { archive } from '../../../actors/kmip/operations/archive.ts';
import { certify } from '../../../actors/kmip/operations/certify.ts';
import { OPERATIONS } from '../../../actors/kmip/operations/index.ts';
import { recover } from '../../../actors/kmip/operations/recover.ts';
import { rotateDue } from '../../../actors/kmip/rotation.ts';
import type { KeyServer } from '../../../actors/kmip/server.ts';
import { SeededRandom } from '../../../crypto/random.ts';
import { createClock } from '../../../kernel/clock.ts';
import { DataKey } from '../../../kernel/keys/data-key.ts';
import { createForgedRows } from '../../../kernel/store/forged-rows.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, interval, structure, text } from '../../../kmip/ttlv/node.ts';
import { textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { KEYS_MIGRATIONS } from '../../../plugins/keys/migrations.ts';
import { postgresDatabase } from '../../database.ts';
import { ALICE, ObjectsInMemory } from '../../fakes/objects.ts';
import { memoryLog } from '../../runtime.ts';

const START = 1_700_000_000;
const HOUR = 3_600;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rotation-'));
const store = await openStore((await postgresDatabase(folder)) ?? `sqlite:${join(folder, 'keys.db')}`, { writer: 'w', clock: createClock() });
await migrate(store, [{ owner: 'keys', migrations: KEYS_MIGRATIONS }], () => 0);
const { log, lines } = memoryLog();
let now = START;
const refused = createForgedRows(store, log, () => now * 1000, 'key.forged');
const rows = new ObjectRows(new DataKey('keys', randomBytes(32), () => now * 1000), () => now * 1000, refused);
const server: KeyServer = {
  operations: OPERATIONS,
  args: new ObjectsInMemory([]).server.args,
  log,
  requestId: () => undefined,
  now: () => now * 1000,
  monotonic: () => now * 1000,
  store,
  rows,
  objects: new ObjectRouter(databaseObjects({ rows, store, cache: new ObjectCache(rows, store, undefined) })),
  keyKinds: [softwareKeys],
  room: new ContentRoom(() => undefined),
  get streams(): never {
    throw new Error('nothing streams here');
  },
  random: new SeededRandom(),
  aside: (work) => work(),
  correlations: new CorrelationRate(),
  get asynchronous(): never {
    throw new Error('nothing is answered later here');
  },
};

test.after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const context = () => new BatchContext(server, ALICE, { major: 2, minor: 1 });
const stored = async (id: string | undefined): Promise<Draft> => (await rows.read(store, id as string)) as Draft;
const read = async (id: string | undefined) => new X509Certificate(certificateOf(await stored(id)));

/** A certificate with a new key, to be renewed each hour. */
async function newCertificate(): Promise<string> {
  const attributes = structure(TAG.Attributes, [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.Ed25519),
    text(TAG.CertificateSubjectCN, 'hourly'),
    dateTime(TAG.ActivationDate, now),
    interval(TAG.RotateInterval, HOUR),
  ]);
  const answer = await certify.run(structure(TAG.RequestPayload, [attributes]), context());
  return textOf(structure(TAG.ResponsePayload, answer), TAG.UniqueIdentifier) as string;
}

test('a certificate is renewed when it is due, and not before', async () => {
  const id = await newCertificate();
  assert.equal(await rotateDue(server), 0);
  now += HOUR;
  assert.equal(await rotateDue(server), 1);
  const next = linkedTo(await stored(id), 'ReplacementObjectLink');
  const [before, after] = [await read(id), await read(next)];
  assert.ok(after.publicKey.equals(before.publicKey));
  assert.ok(after.verify(before.publicKey));
  assert.equal(Date.parse(after.validFrom) / 1000, now);
  assert.equal((await stored(next)).state, ENUM.State.Active);
  assert.equal(await rotateDue(server), 0);
  now += HOUR;
  assert.equal(await rotateDue(server), 1, 'the new one is due in its turn');
});

/** Due for rotation. */
async function certificateWithoutKey(): Promise<string> {
  const id = await newCertificate();
  const key = linkedTo(await stored(id), 'PrivateKeyLink') as string;
  await context().change(async (tx) => {
    const draft = await tx.byId(key, 'Destroy');
    applyEvent(draft, 'destroy', now);
    await tx.update(draft);
  });
  now += HOUR;
  return id;
}

test('a certificate whose key is gone is left as it is, and the log says so', async () => {
  const id = await certificateWithoutKey();
  await rotateDue(server);
  assert.equal(linkedTo(await stored(id), 'ReplacementObjectLink'), undefined);
  assert.ok(lines.some((line) => line['object'] === id && line['reason'] === 'ObjectDestroyed'));
});

test('what cannot be rotated is tried again after longer and longer times, and told the first time only', async () => {
  const id = await certificateWithoutKey();
  const due = now;
  const told = () => lines.filter((line) => line['object'] === id);
  const tried: number[] = [];
  for (; now <= due + 4 * HOUR; now += 60) {
    const before = told().length;
    await rotateDue(server);
    if (told().length > before) tried.push((now - due) / 60);
  }
  assert.deepEqual(tried, [0, 1, 2, 4, 8, 16, 32, 64, 124, 184]);
  assert.deepEqual(
    told().map(({ level }) => level),
    ['warn', ...Array(9).fill('debug')],
  );
  const audited = async () =>
    (await store.all("SELECT outcome, reason FROM audit WHERE event = 'key.rotate' AND target = $1", [id])).map((row) => ({ ...row }));
  assert.deepEqual(await audited(), [{ outcome: 'failure', reason: 'ObjectDestroyed' }]);
  // Whoever changes it may have mended it.
  await context().change(async (tx) => tx.update(await tx.byId(id, 'SetAttribute')));
  await rotateDue(server);
  assert.equal((await audited()).length, 2);
});

test('what is archived waits without a word until it is recovered, whenever it was archived', async () => {
  for (const whenDue of [false, true]) {
    const id = await newCertificate();
    const named = structure(TAG.RequestPayload, [text(TAG.UniqueIdentifier, id)]);
    if (whenDue) now += HOUR;
    await archive.run(named, context());
    if (!whenDue) now += HOUR;
    await rotateDue(server);
    assert.ok(!lines.some((line) => line['object'] === id));
    assert.equal(linkedTo(await stored(id), 'ReplacementObjectLink'), undefined);
    await recover.run(named, context());
    await rotateDue(server);
    assert.notEqual(linkedTo(await stored(id), 'ReplacementObjectLink'), undefined);
  }
});

test('an object that cannot be read keeps no other from its rotation', async () => {
  const [broken, whole] = [await newCertificate(), await newCertificate()];
  await store.transaction((tx) => tx.run('UPDATE kms_object SET content = $2 WHERE id = $1', [broken, randomBytes(64)]));
  now += HOUR;
  await rotateDue(server);
  assert.notEqual(linkedTo(await stored(whole), 'ReplacementObjectLink'), undefined);
  assert.ok(lines.some((line) => line['row'] === broken && line.level === 'error'));
});

test('more than a thousand objects that cannot be rotated keep no other from its rotation', async () => {
  const archived = await stored(await newCertificate());
  await store.transaction(async (tx) => {
    for (let at = 0; at < 1_001; at++) await rows.insert(tx, { ...archived, id: `archived ${at}`, archived: true });
  });
  const id = await newCertificate();
  now += HOUR;
  await rotateDue(server);
  assert.notEqual(linkedTo(await stored(id), 'ReplacementObjectLink'), undefined);
});

test.run();
