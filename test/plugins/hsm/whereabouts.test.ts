// Locate by owner, by HSM and by scope: what the caller may see of others' keys and of keys on a token of SoftHSM, and nothing more.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Ask } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { done, enumeration, type HsmServer, integer, type Json, kmip, makeSecret, refused, startHsmServer, structure, text, USER_NAME } from './hsm-server.ts';

let server: HsmServer;
/** Made once: a key of each place and owner. */
const made: Record<'onFirst' | 'onSecond' | 'granted' | 'kept' | 'own', string> = { onFirst: '', onSecond: '', granted: '', kept: '', own: '' };

const vendor = (name: string, value: string): Json =>
  structure('Attribute', text('VendorIdentification', 'gatehouse'), text('AttributeName', name), text('AttributeValue', value));

async function locate(as: Ask, ...attributes: Json[]): Promise<string[]> {
  const found = await done(kmip(as, 'Locate', structure('Attributes', ...attributes)));
  const ids = found.all('UniqueIdentifier');
  assert.equal(Number(found['LocatedItems']), ids.length);
  return ids.toSorted();
}

async function soft(as: Ask, length = 256): Promise<string> {
  const attributes = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', length), integer('CryptographicUsageMask', 12)];
  const answer = await done(kmip(as, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...attributes)));
  return answer['UniqueIdentifier'] as string;
}

async function grant(id: string): Promise<void> {
  const body = { unique_identifier: id, user_id: USER_NAME, operation_types: ['encrypt'] };
  assert.equal((await server.admin('POST', '/access/grant', { body })).status, 200);
}

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer({ slots: 2 });
    const [first, second] = server.slots.map((slot) => `hsm::soft_hsm::${slot}::`);
    Object.assign(made, { onFirst: `${first}one`, onSecond: `${second}two` });
    for (const id of [made.onFirst, made.onSecond]) await done(makeSecret(server.admin, id));
    Object.assign(made, { granted: await soft(server.admin, 128), kept: await soft(server.admin), own: await soft(server.user) });
    await grant(made.granted);
    await grant(made.onFirst);
  });
  test.after(() => server?.end());

  test('by HSM: the keys of an instance, or of one of its slots, together with other attributes', async () => {
    const [first, second] = server.slots;
    assert.deepEqual(await locate(server.admin, vendor('hsm', 'hsm::soft_hsm')), [made.onFirst, made.onSecond].toSorted());
    assert.deepEqual(await locate(server.admin, vendor('hsm', `hsm::soft_hsm::${first}`)), [made.onFirst]);
    assert.deepEqual(await locate(server.admin, vendor('hsm', `hsm::soft_hsm::${second}`), integer('CryptographicLength', 256)), [made.onSecond]);
    assert.deepEqual(await locate(server.admin, vendor('hsm', `hsm::soft_hsm::${second}`), integer('CryptographicLength', 128)), []);
    for (const other of ['hsm::soft_hsm_1', 'hsm::soft_hsm::999999', 'hsm::nss']) assert.deepEqual(await locate(server.admin, vendor('hsm', other)), [], other);
    for (const wrong of ['', 'soft_hsm', 'hsm::soft_hsm::', "hsm::soft_hsm::0::x'", 'hsm::%'])
      await refused(kmip(server.admin, 'Locate', structure('Attributes', vendor('hsm', wrong))), /^Invalid_Field: .* is no HSM: give hsm::<model>/);
  });

  test('by owner: own keys, those that this owner granted, and those of an instance', async () => {
    const { user_id: admin } = (await server.admin('GET', '/me')).body as { user_id?: string };
    const name = admin ?? 'hsm-admin@acme.com';
    assert.deepEqual(await locate(server.admin, vendor('owner', name)), [made.granted, made.kept].toSorted());
    assert.deepEqual(await locate(server.user, vendor('owner', name)), [made.granted]);
    assert.deepEqual(await locate(server.user, vendor('owner', name), integer('CryptographicLength', 256)), []);
    assert.deepEqual(await locate(server.user, vendor('owner', USER_NAME)), [made.own]);
    assert.deepEqual(await locate(server.user, vendor('owner', 'hsm::soft_hsm')), [made.onFirst]);
    assert.deepEqual(await locate(server.user, vendor('owner', USER_NAME), vendor('owner', name)), []);
    for (const nobody of ['', 'nobody@acme.com', 'team/ada', "x' OR '1'='1"]) assert.deepEqual(await locate(server.user, vendor('owner', nobody)), [], nobody);
  });

  test("by scope: what is the caller's own, or granted by others, together with other attributes", async () => {
    assert.deepEqual(await locate(server.user, vendor('scope', 'own')), [made.own]);
    assert.deepEqual(await locate(server.user, vendor('scope', 'granted')), [made.onFirst, made.granted].toSorted());
    assert.deepEqual(await locate(server.user, vendor('scope', 'granted'), integer('CryptographicLength', 128)), [made.granted]);
    assert.deepEqual(await locate(server.user, vendor('scope', 'granted'), vendor('scope', 'own')), []);
    assert.deepEqual(await locate(server.admin, vendor('scope', 'granted')), []);
    await refused(kmip(server.user, 'Locate', structure('Attributes', vendor('scope', 'all'))), /^Invalid_Field: all is no scope: give own or granted$/);
  });

  test('neither shows what the caller may not see, and other vendors keep these names for themselves', async () => {
    assert.deepEqual(await locate(server.user, vendor('hsm', 'hsm::soft_hsm')), [made.onFirst]);
    assert.deepEqual((await locate(server.user)).includes(made.kept), false);
    const foreign = (value: string): Json =>
      structure('Attribute', text('VendorIdentification', 'acme'), text('AttributeName', 'owner'), text('AttributeValue', value));
    await done(kmip(server.user, 'AddAttribute', text('UniqueIdentifier', made.own), structure('NewAttribute', foreign('sales'))));
    assert.deepEqual(await locate(server.user, foreign('sales')), [made.own]);
    assert.deepEqual(await locate(server.user, foreign('bought')), []);
  });
}

test.run();
