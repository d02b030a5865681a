// Keysets whose newest generation is gone, and identifiers that others choose to stand for a keyset, over a real store.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Principal } from '../../../actors/kmip/api.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, dateTime, enumeration, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ALICE } from '../../fakes/objects.ts';
import { aesKey, encryption, named, revocation, startKeyServer } from './key-server.ts';

const BOB: Principal = { ...ALICE, user: 'acme/bob' };
const { ask, made, end, kmip } = await startKeyServer({ threads: 1 });
test.after(() => end());

const keyset = (name: string) => structure(TAG.RotateName, [text(TAG.RotateNameValue, name), enumeration(TAG.RotateNameType, 1)]);
const chosen = (id: string): Node => text(TAG.UniqueIdentifier, id);

async function used(name: string): Promise<string> {
  const { ok, ids, reason } = await ask('Encrypt', encryption(name));
  assert.ok(ok, reason);
  return ids[0] as string;
}

async function destroy(id: string, remove: boolean): Promise<void> {
  await made('Revoke', revocation(id));
  await made('Destroy', [named(id), boolean(TAG.Remove, remove)]);
}

async function attributeOf(id: string, tag: number): Promise<unknown> {
  const { members } = await ask('GetAttributes', [named(id), enumeration(TAG.AttributeReference, tag)]);
  return members['Attributes'][0]?.value;
}

for (const remove of [false, true])
  test(`a keyset whose newest generation is destroyed rotates on${remove ? ', also if its row is removed' : ''}`, async () => {
    const name = `ended ${remove}`;
    const first = await made('Create', aesKey(keyset(name)));
    const second = await made('ReKey', [named(name)]);
    assert.match((await ask('ReKey', [named(first)])).reason, /not the latest generation/);
    await destroy(second, remove);
    assert.equal(await used(name), first);
    const third = await made('ReKey', [named(name)]);
    for (const address of [name, `${name}@latest`]) assert.equal(await used(address), third);
    assert.equal(await attributeOf(third, TAG.RotateGeneration), remove ? 1 : 2, 'no two generations have one number');
    if (!remove) assert.equal(await attributeOf(second, TAG.RotateLatest), false);
    assert.match((await ask('ReKey', [named(first)])).reason, /not the latest generation/);
  });

test('a destroyed generation in the middle makes no older one the latest', async () => {
  const first = await made('Create', aesKey(keyset('middle')));
  const second = await made('ReKey', [named('middle')]);
  const third = await made('ReKey', [named('middle')]);
  await destroy(second, true);
  assert.match((await ask('ReKey', [named(first)])).reason, /not the latest generation/);
  assert.equal(await used('middle'), third);
});

test("nobody gets an identifier of the server's form that is the name of another's keyset", async () => {
  const own = await made('Create', aesKey());
  await made('SetAttribute', [named(own), structure(TAG.NewAttribute, [keyset(own)])]);
  const next = await made('ReKey', [named(own)]);
  await destroy(own, true);
  assert.equal(await used(own), next);
  assert.match((await ask('Create', aesKey(chosen(own)), BOB)).reason, /^Object_Already_Exists: the identifier .* is taken/);
  assert.equal(await used(own), next);
  const free = '0197bc47-1111-7cb7-bc47-2863753cf42a';
  assert.equal(await made('Create', aesKey(chosen(free)), BOB), free);
});

test("nor a keyset the name of another's object", async () => {
  const id = '0197bc47-2222-4cb7-bc47-2863753cf42a';
  await kmip.grant(await made('Create', aesKey(chosen(id)), BOB), '*', ['get'], BOB);
  assert.match((await ask('Create', aesKey(keyset(id)))).reason, /^Invalid_Attribute_Value: RotateName .* object of another owner/);
  const key = await made('Create', aesKey());
  const name = (value: string) => [named(key), structure(TAG.NewAttribute, [keyset(value)])];
  assert.match((await ask('SetAttribute', name(id))).reason, /^Invalid_Attribute_Value/);
  assert.ok((await ask('SetAttribute', name(key))).ok, 'a keyset may have the name of one of its keys');
});

test('of a pair in one keyset, the key that fits the operation is used', async () => {
  const common = structure(TAG.CommonAttributes, [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC),
    structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
    dateTime(TAG.ActivationDate, 1),
    keyset('pair'),
  ]);
  const data = bytes(TAG.Data, Buffer.from('data'));
  const [first] = (await ask('CreateKeyPair', [common])).ids;
  const { members } = await ask('Sign', [named('pair'), data]);
  const signature = bytes(TAG.SignatureData, Buffer.from(members['SignatureData'], 'hex'));
  const { ids: next, reason } = await ask('ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, 'pair')]);
  assert.equal(next.length, 2, reason);
  const signers = { pair: next[0], 'pair@latest': next[0], 'pair@first': first, 'pair@0': first, 'pair@1': next[0] };
  for (const [name, expected] of Object.entries(signers)) assert.equal((await ask('Sign', [named(name), data])).ids[0], expected, name);
  for (const name of ['pair@first', 'pair']) {
    const verdict = await ask('SignatureVerify', [named(name), data, signature]);
    assert.equal(verdict.members['ValidityIndicator'], 'Valid', verdict.reason);
  }
  assert.match((await ask('Encrypt', encryption('pair@7'))).reason, /^Item_Not_Found/);
});

test('a RotateName that no request could use is refused, and one like a key on a token is found', async () => {
  for (const name of ['[', '["tag"]']) assert.match((await ask('Create', aesKey(keyset(name)))).reason, /RotateName must not begin with/);
  const first = await made('Create', aesKey(keyset('hsm::soft_hsm::0::key')));
  assert.equal(await used('hsm::soft_hsm::0::key@latest'), first);
  assert.match((await ask('Encrypt', encryption('hsm::soft_hsm::0::other'))).reason, /No HSM is configured/);
});

test.run();
