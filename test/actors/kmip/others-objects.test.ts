// One user against another's objects by ways round the grants: names that hide others, links to what is not one's own, replacements, parts.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Principal } from '../../../actors/kmip/api.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ALICE } from '../../fakes/objects.ts';
import { type Answered, aesKey, decryption, encryption, named, revocation, startKeyServer } from './key-server.ts';

const BOB: Principal = { ...ALICE, user: 'acme/bob' };
const CAROL: Principal = { ...ALICE, user: 'acme/carol' };
const { LinkType, ObjectType } = ENUM;
const EVERYBODY = '*';

const server = await startKeyServer({ threads: 1 });
const { ask, made, kmip } = server;
test.after(() => server.end());

const keyset = (name: string) => structure(TAG.RotateName, [text(TAG.RotateNameValue, name), enumeration(TAG.RotateNameType, 1)]);
const tags = (...all: string[]) =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, 'gatehouse'), text(TAG.AttributeName, 'tag'), text(TAG.AttributeValue, JSON.stringify(all))]);
const link = (type: keyof typeof LinkType, id: string) =>
  structure(TAG.Link, [enumeration(TAG.LinkType, LinkType[type]), text(TAG.LinkedObjectIdentifier, id)]);
const key = (who: Principal, ...attributes: Node[]) => made('Create', aesKey(...attributes), who);
const set = (...attributes: Node[]) => structure(TAG.NewAttribute, attributes);

async function pair(who: Principal, ...attributes: Node[]): Promise<readonly [privateKey: string, publicKey: string]> {
  const common = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.EC),
    structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256)]),
    { tag: TAG.ActivationDate, type: ENUM.ItemType.DateTime, value: 1 } as Node,
    ...attributes,
  ];
  const { ids, reason, ok } = await ask('CreateKeyPair', [structure(TAG.CommonAttributes, common)], who);
  assert.ok(ok, reason);
  return [ids[0] as string, ids[1] as string];
}

const PAGE = { limit: 1_000, after: undefined, names: 'profile' as const };

async function state(id: string, who: Principal): Promise<string | undefined> {
  const { items } = await kmip.listOwned(who, PAGE);
  return items.find(({ object_id }) => object_id === id)?.state;
}

async function used(name: string, who: Principal): Promise<string> {
  const answer = await ask('Encrypt', encryption(name), who);
  assert.ok(answer.ok, answer.reason);
  return answer.ids[0] as string;
}

test("what others grant does not come in the place of one's own keyset", async () => {
  const own = await key(ALICE, keyset('billing'));
  const theirs = await key(BOB, keyset('billing'));
  await kmip.grant(theirs, EVERYBODY, ['get'], BOB);
  for (const name of ['billing', 'billing@latest', 'billing@first', 'billing@0']) assert.equal(await used(name, ALICE), own, name);
  assert.equal(await used('billing@latest', CAROL), theirs, 'who has none of that name may use what is granted');
  await kmip.grant(own, CAROL.user, ['encrypt'], ALICE);
  assert.match((await ask('Encrypt', encryption('billing@latest'), CAROL)).reason, /^Invalid_Field: several owners/);
  assert.equal(await used(own, CAROL), own);
});

test("nor in the place of one's own tags", async () => {
  const own = await key(ALICE, tags('ledger'));
  for (let count = 0; count < 2; count++) await kmip.grant(await key(BOB, tags('ledger')), EVERYBODY, ['get'], BOB);
  assert.equal(await used('["ledger"]', ALICE), own);
  assert.match((await ask('Encrypt', encryption('["ledger"]'), CAROL)).reason, /several objects have the tags .*give the identifier of one/);
  await key(ALICE, tags('ledger'));
  assert.match((await ask('Encrypt', encryption('["ledger"]'), ALICE)).reason, /several objects have the tags .*give the identifier of one/);
});

test("nor before one's own where a client looks for a name", async () => {
  const nameOf = (value: string) => structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
  const own = [await key(ALICE, nameOf('vault'), tags('v')), await key(ALICE, nameOf('vault2'), tags('v'))];
  const theirs: string[] = [];
  for (const owner of [BOB, CAROL]) {
    theirs.unshift(await key(owner, nameOf('vault'), tags('v')));
    await kmip.grant(theirs[0] as string, EVERYBODY, ['get'], owner);
  }
  const located = async (attribute: Node, ...more: Node[]) => {
    const { ids, members } = await ask('Locate', [...more, structure(TAG.Attributes, [attribute])], ALICE);
    return [members['LocatedItems'], ...ids];
  };
  const unindexed = structure(TAG.Name, [text(TAG.NameValue, 'vault')]);
  for (const name of [nameOf('vault'), unindexed]) {
    assert.deepEqual(await located(name), [3, own[0], ...theirs]);
    assert.deepEqual(await located(name, integer(TAG.MaximumItems, 1)), [3, own[0]]);
    assert.deepEqual(await located(name, integer(TAG.OffsetItems, 1), integer(TAG.MaximumItems, 1)), [3, theirs[0]]);
    assert.deepEqual(await located(name, integer(TAG.OffsetItems, 2)), [3, theirs[1]]);
    assert.deepEqual(await located(name, integer(TAG.OffsetItems, 3)), [3]);
  }
  assert.deepEqual(await located(tags('v'), integer(TAG.OffsetItems, 1), integer(TAG.MaximumItems, 2)), [4, own[0], theirs[0]]);
});

test("an identifier that somebody chooses hides nobody's keyset, granted or not", async () => {
  const own = await key(ALICE, keyset('orders'));
  for (const name of ['orders', 'orders@latest', 'orders@0']) {
    const trap = await key(BOB, text(TAG.UniqueIdentifier, name));
    assert.equal(trap, name);
    assert.equal(await used(name, ALICE), own, `${name} is not granted`);
    await kmip.grant(trap, EVERYBODY, ['get'], BOB);
    assert.equal(await used(name, ALICE), own, `${name} is granted`);
    assert.equal(await used(name, CAROL), trap, 'it is an identifier like any other to those who have no such keyset');
  }
  const sealed = await ask('Encrypt', encryption('orders'), ALICE);
  assert.ok((await ask('Decrypt', decryption('orders', sealed), ALICE)).ok);
});

test('what is not there and what is not permitted are told in the same words', async () => {
  const theirs = await key(BOB);
  const absent = '00000000-0000-4000-8000-000000000000';
  const requests: readonly (readonly [OperationName, (id: string) => Node[]])[] = [
    ...(
      ['Get', 'Export', 'GetAttributes', 'GetAttributeList', 'Check', 'ObtainLease', 'Activate', 'Archive', 'Recover', 'Destroy', 'ReKey', 'Certify'] as const
    ).map((operation) => [operation, (id: string): Node[] => [named(id)]] as const),
    ['Encrypt', encryption],
    ['Revoke', revocation],
    ['ReKeyKeyPair', (id) => [text(TAG.PrivateKeyUniqueIdentifier, id)]],
    ['SetAttribute', (id) => [named(id), set(text(TAG.Comment, 'x'))]],
    ['AddAttribute', (id) => [named(id), set(text(TAG.Comment, 'x'))]],
    ['ModifyAttribute', (id) => [named(id), set(text(TAG.Comment, 'x'))]],
    ['Validate', (id) => [named(id)]],
    ['JoinSplitKey', (id) => [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), named(id), named(id)]],
    ['CreateSplitKey', (id) => splitting(id)],
  ];
  for (const [operation, request] of requests) {
    const [one, other] = [await ask(operation, request(theirs), ALICE), await ask(operation, request(absent), ALICE)];
    assert.ok(!one.ok && /Not_Found/.test(one.reason), `${operation}: ${one.reason}`);
    assert.equal(one.reason.replaceAll(theirs, absent), other.reason);
  }
});

test("a link to another's key carries neither Destroy nor Revoke nor a rotation to it", async () => {
  const [victim, victimPublic] = await pair(BOB);
  const cascade = boolean(TAG.Cascade, true);
  for (const target of [victim, victimPublic]) {
    const [own, ownPublic] = await pair(ALICE);
    for (const half of [own, ownPublic]) {
      const reference = enumeration(TAG.AttributeReference, TAG.Link);
      assert.ok((await ask('DeleteAttribute', [named(half), reference], ALICE)).ok);
      assert.ok((await ask('AddAttribute', [named(half), set(link(half === own ? 'PublicKeyLink' : 'PrivateKeyLink', target))], ALICE)).ok);
    }
    assert.match((await ask('ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, own)], ALICE)).reason, /has no PublicKeyLink/);
    for (const half of [own, ownPublic]) {
      assert.ok((await ask('Revoke', [...revocation(half), cascade], ALICE)).ok);
      assert.ok((await ask('Destroy', [named(half), cascade], ALICE)).ok);
    }
    assert.equal(await state(target, BOB), 'Active');
  }
});

test('who may end one key ends no other with it, by a cascade or a link', async () => {
  const cascade = boolean(TAG.Cascade, true);
  const [privateKey, publicKey] = await pair(BOB);
  const bystander = await key(BOB);
  await kmip.grant(privateKey, ALICE.user, ['revoke', 'destroy', 'addattribute', 'deleteattribute'], BOB);
  assert.ok((await ask('Revoke', [...revocation(privateKey), cascade], ALICE)).ok);
  assert.deepEqual([await state(privateKey, BOB), await state(publicKey, BOB)], ['Deactivated', 'Active']);
  assert.ok((await ask('DeleteAttribute', [named(privateKey), enumeration(TAG.AttributeReference, TAG.Link)], ALICE)).ok);
  assert.ok((await ask('AddAttribute', [named(privateKey), set(link('PublicKeyLink', bystander))], ALICE)).ok);
  assert.ok((await ask('Destroy', [named(privateKey), cascade], ALICE)).ok);
  assert.equal(await state(bystander, BOB), 'Active');
  const [both, bothPublic] = await pair(BOB);
  for (const id of [both, bothPublic]) await kmip.grant(id, ALICE.user, ['revoke'], BOB);
  assert.ok((await ask('Revoke', [...revocation(both), cascade], ALICE)).ok);
  assert.deepEqual([await state(both, BOB), await state(bothPublic, BOB)], ['Deactivated', 'Deactivated']);
  const [mine, minePublic] = await pair(BOB);
  assert.ok((await ask('Revoke', [...revocation(mine), cascade], BOB)).ok);
  assert.deepEqual([await state(mine, BOB), await state(minePublic, BOB)], ['Deactivated', 'Deactivated']);
});

test('a rotation by link replaces no key but the other half of the pair', async () => {
  const [privateKey] = await pair(BOB);
  const [, unrelated] = await pair(BOB);
  await kmip.grant(privateKey, ALICE.user, ['rekeykeypair', 'addattribute', 'deleteattribute'], BOB);
  assert.ok((await ask('DeleteAttribute', [named(privateKey), enumeration(TAG.AttributeReference, TAG.Link)], ALICE)).ok);
  assert.ok((await ask('AddAttribute', [named(privateKey), set(link('PublicKeyLink', unrelated))], ALICE)).ok);
  assert.match((await ask('ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, privateKey)], ALICE)).reason, /has no PublicKeyLink/);
});

test("a rotation by a grantee makes the owner's key, with the owner's grants and no others", async () => {
  const old = await key(BOB);
  await kmip.grant(old, ALICE.user, ['rekey'], BOB);
  await kmip.grant(old, CAROL.user, ['encrypt'], BOB);
  const replacement = await made('ReKey', [named(old)], ALICE);
  assert.equal(await state(replacement, BOB), 'Active');
  assert.equal(await state(replacement, ALICE), undefined);
  assert.deepEqual(await kmip.grantees(replacement, BOB, PAGE), await kmip.grantees(old, BOB, PAGE));
  assert.ok(!(await ask('Encrypt', encryption(replacement), ALICE)).ok);
  assert.equal(await used(replacement, CAROL), replacement);
  await assert.rejects(kmip.grant(replacement, ALICE.user, ['get'], ALICE), { code: 'KEYS_NOT_OWNER' });
  await assert.rejects(kmip.grant(replacement, CAROL.user, ['get'], ALICE), { code: 'KEYS_NOT_OWNER' });
  const [privateKey] = await pair(BOB);
  await kmip.grant(privateKey, ALICE.user, ['rekeykeypair'], BOB);
  const { ids } = await ask('ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, privateKey)], ALICE);
  assert.equal(ids.length, 2);
  for (const id of ids) assert.deepEqual([await state(id, BOB), await state(id, ALICE)], ['Active', undefined]);
});

test('no right on one key puts it in the place of another key of its owner', async () => {
  const target = await key(BOB, keyset('payroll'), tags('payroll'));
  const old = await key(BOB);
  await kmip.grant(old, ALICE.user, ['get', 'rekey', 'addattribute', 'setattribute', 'modifyattribute'], BOB);
  for (const attribute of [keyset('payroll'), tags('payroll'), text(TAG.UniqueIdentifier, 'payroll'), integer(TAG.CryptographicUsageMask, 0xff)])
    assert.match((await ask('ReKey', [named(old), structure(TAG.Attributes, [attribute])], ALICE)).reason, /^Permission_Denied/);
  for (const operation of ['AddAttribute', 'SetAttribute'] as const)
    assert.match((await ask(operation, [named(old), set(keyset('payroll'))], ALICE)).reason, /^Permission_Denied/);
  assert.equal(await used('payroll@latest', BOB), target);
  const shorter = structure(TAG.Attributes, [integer(TAG.CryptographicLength, 128)]);
  const replacement = await made('ReKey', [named(old), shorter], ALICE);
  assert.ok((await ask('AddAttribute', [named(replacement), set(keyset('new set'))], BOB)).ok);
  assert.match((await ask('ModifyAttribute', [named(replacement), set(keyset('payroll'))], ALICE)).reason, /^Permission_Denied/);
});

test("a rotation by a grantee leaves the owner's protection of the key as it was", async () => {
  const old = await key(BOB, boolean(TAG.Sensitive, true), boolean(TAG.Extractable, false));
  await kmip.grant(old, ALICE.user, ['get', 'rekey'], BOB);
  const open = structure(TAG.Attributes, [boolean(TAG.Sensitive, false), boolean(TAG.Extractable, true)]);
  assert.match((await ask('ReKey', [named(old), open], ALICE)).reason, /^Permission_Denied/);
  const replacement = await made('ReKey', [named(old)], ALICE);
  assert.match((await ask('Get', [named(replacement)], ALICE)).reason, /^Sensitive/);
  assert.ok((await ask('ReKey', [named(replacement), open], BOB)).ok);
});

test('a grantee who may change attributes leaves the protection of the key as it is, or makes it stronger', async () => {
  const id = await key(BOB, boolean(TAG.Sensitive, true), boolean(TAG.Extractable, false));
  const open = await key(BOB);
  for (const each of [id, open]) await kmip.grant(each, ALICE.user, ['get', 'modifyattribute', 'setattribute', 'adjustattribute'], BOB);
  const flags = (object: string, isProtected: boolean) =>
    [boolean(TAG.Sensitive, isProtected), boolean(TAG.Extractable, !isProtected)].map((flag) => [named(object), set(flag)]);
  const negated = [TAG.Sensitive, TAG.Extractable].map((tag) => [
    named(id),
    enumeration(TAG.AttributeReference, tag),
    enumeration(TAG.AdjustmentType, ENUM.AdjustmentType.Negate),
  ]);
  for (const payload of flags(id, false))
    for (const operation of ['ModifyAttribute', 'SetAttribute'] as const) assert.match((await ask(operation, payload, ALICE)).reason, /^Permission_Denied/);
  for (const payload of negated) assert.match((await ask('AdjustAttribute', payload, ALICE)).reason, /^Permission_Denied/);
  assert.ok((await ask('SetAttribute', [named(id), set(text(TAG.Comment, 'looked at'))], ALICE)).ok);
  for (const payload of [...flags(id, true), ...flags(open, true)]) assert.ok((await ask('SetAttribute', payload, ALICE)).ok);
  for (const payload of flags(id, false)) assert.ok((await ask('SetAttribute', payload, BOB)).ok);
});

test('the digest of a password is for its owner, not for everybody who may know of it', async () => {
  const block = structure(TAG.KeyBlock, [
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Opaque),
    structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, Buffer.from('password1'))]),
  ]);
  const content = structure(TAG.SecretData, [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Password), block]);
  const id = await made('Register', [enumeration(TAG.ObjectType, ObjectType.SecretData), structure(TAG.Attributes, []), content], BOB);
  await kmip.grant(id, ALICE.user, ['check'], BOB);
  const shown = async (who: Principal) => JSON.stringify((await ask('GetAttributes', [named(id)], who)).members).includes('"DigestValue"');
  assert.deepEqual([await shown(BOB), await shown(ALICE)], [true, false]);
});

function splitting(id: string): Node[] {
  return [
    enumeration(TAG.ObjectType, ObjectType.SymmetricKey),
    named(id),
    integer(TAG.SplitKeyParts, 2),
    integer(TAG.SplitKeyThreshold, 2),
    enumeration(TAG.SplitKeyMethod, ENUM.SplitKeyMethod.XOR),
  ];
}

test('a key that does not leave the server does not leave it in parts that belong to a grantee', async () => {
  const held = [boolean(TAG.Sensitive, true), boolean(TAG.Extractable, false)] as const;
  for (const attribute of held) {
    const id = await key(BOB, attribute);
    await kmip.grant(id, ALICE.user, ['get'], BOB);
    const { ok, reason } = await ask('CreateSplitKey', splitting(id), ALICE);
    assert.ok(!ok && /^(Sensitive|Not_Extractable)/.test(reason), reason);
    assert.ok((await ask('CreateSplitKey', splitting(id), BOB)).ok);
  }
  const open = await key(BOB);
  await kmip.grant(open, ALICE.user, ['get'], BOB);
  assert.ok((await ask('CreateSplitKey', splitting(open), ALICE)).ok);
});

test('nor do parts of it become a key that belongs to a grantee', async () => {
  const id = await key(BOB, boolean(TAG.Sensitive, true));
  const { ids: parts } = await ask('CreateSplitKey', splitting(id), BOB);
  for (const part of parts) await kmip.grant(part, ALICE.user, ['get'], BOB);
  const joining = [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), ...parts.map(named)];
  assert.match((await ask('JoinSplitKey', joining, ALICE)).reason, /^Sensitive/);
  assert.ok((await ask('JoinSplitKey', joining, BOB)).ok);
});

const linksOf = async (id: string, who: Principal): Promise<Answered> => ask('GetAttributes', [named(id), enumeration(TAG.AttributeReference, TAG.Link)], who);

test('uses that are granted write nothing into the links of a key', async () => {
  const [privateKey, publicKey] = await pair(BOB, integer(TAG.CryptographicUsageMask, 0x3));
  for (const id of [privateKey, publicKey]) await kmip.grant(id, ALICE.user, ['get'], BOB);
  const before = await linksOf(publicKey, BOB);
  const subject = text(TAG.CertificateSubjectCN, 'mallory');
  assert.ok((await ask('Certify', [named(publicKey), structure(TAG.Attributes, [subject])], ALICE)).ok);
  assert.deepEqual((await linksOf(publicKey, BOB)).members, before.members);
  assert.ok((await ask('Certify', [named(publicKey), structure(TAG.Attributes, [subject])], BOB)).ok);
  assert.notDeepEqual((await linksOf(publicKey, BOB)).members, before.members);
});

test('a certificate that a grantee renews takes the place of the old one at its key, and of no other', async () => {
  const [privateKey, publicKey] = await pair(BOB, integer(TAG.CryptographicUsageMask, 0x3));
  const certified = async () =>
    (await ask('Certify', [named(publicKey), structure(TAG.Attributes, [text(TAG.CertificateSubjectCN, 'bob')])], BOB)).ids[0] as string;
  const [first, second] = [await certified(), await certified()];
  for (const id of [first, second, privateKey, publicKey]) await kmip.grant(id, ALICE.user, ['recertify'], BOB);
  const renewed = async (certificate: string, who: Principal) => {
    const { ids, ok, reason } = await ask('ReCertify', [named(certificate)], who);
    assert.ok(ok, reason);
    return ids[0] as string;
  };
  // Of the links of the key, the last is the one to its certificate.
  const linked = async () => (await linksOf(publicKey, BOB)).members['Attributes'].at(-1).value.at(-1).value;
  assert.equal(await linked(), second);
  await renewed(first, ALICE);
  assert.equal(await linked(), second, 'the key was not linked to what was renewed');
  const third = await renewed(second, ALICE);
  assert.equal(await linked(), third);
  const fourth = await renewed(first, BOB);
  assert.equal(await linked(), fourth, 'its owner says which certificate a key has');
});

test('none of the rows changed here was taken for a forged one', async () => {
  assert.deepEqual(await server.store.all("SELECT target FROM audit WHERE event = 'key.forged'"), []);
});

test.run();
