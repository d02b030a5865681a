// The life of a key in every version of KMIP and every encoding over the whole server, with the forms that each version has.
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { request } from 'undici';
import { test } from 'uvu';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, children, codeOf, integerOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { caller } from './caller.ts';
import { ENCODINGS, inWords, isStructure, type KmipClient, name, type Speech, tagsIn, textIn, VERSIONS } from './kmip-client.ts';

const alice = caller('alice');

const SPEECHES: readonly Speech[] = VERSIONS.flatMap((version) => (['json', 'binary', 'xml'] as const).map((encoding) => ({ ...version, encoding })));

const { ObjectType, CryptographicAlgorithm, State, BlockCipherMode, RevocationReasonCode, LinkType } = ENUM;
const { Encrypt, Decrypt } = MASK.CryptographicUsageMask;
const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);

function speaking(speech: Speech): KmipClient {
  return alice.client(speech);
}

async function createKey(client: KmipClient, keyName: string): Promise<string> {
  const payload = await client.do(
    'Create',
    enumeration(TAG.ObjectType, ObjectType.SymmetricKey),
    client.attributes(
      enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
      integer(TAG.CryptographicUsageMask, Encrypt | Decrypt),
      name(keyName),
    ),
  );
  assert.deepEqual(tagsIn(payload), [TAG.ObjectType, TAG.UniqueIdentifier]);
  return textIn(payload, TAG.UniqueIdentifier);
}

async function located(client: KmipClient, keyName: string): Promise<string[]> {
  const payload = await client.do('Locate', ...client.conditions(name(keyName), enumeration(TAG.ObjectType, ObjectType.SymmetricKey)));
  const ids = children(payload, TAG.UniqueIdentifier).map(({ value }) => value as string);
  // Section 4.9: LocatedItems came with 1.3.
  assert.equal(integerOf(payload, TAG.LocatedItems), client.knows('1.3') ? ids.length : undefined);
  return ids;
}

async function materialOf(client: KmipClient, id: string): Promise<Uint8Array> {
  const payload = await client.do('Get', ID(id));
  assert.deepEqual(tagsIn(payload), [TAG.ObjectType, TAG.UniqueIdentifier, TAG.SymmetricKey]);
  const block = required(structureOf(required(structureOf(payload, TAG.SymmetricKey), TAG.SymmetricKey), TAG.KeyBlock), TAG.KeyBlock);
  assert.equal(codeOf(block, TAG.KeyFormatType), ENUM.KeyFormatType.Raw);
  const value = required(structureOf(block, TAG.KeyValue), TAG.KeyValue);
  assert.deepEqual(tagsIn(value), [TAG.KeyMaterial]);
  return required(bytesOf(value, TAG.KeyMaterial), TAG.KeyMaterial);
}

const PLAIN = Buffer.from('what is to be hidden');
const GCM = structure(TAG.CryptographicParameters, [
  enumeration(TAG.BlockCipherMode, BlockCipherMode.GCM),
  enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
]);
const CBC = structure(TAG.CryptographicParameters, [
  enumeration(TAG.BlockCipherMode, BlockCipherMode.CBC),
  enumeration(TAG.PaddingMethod, ENUM.PaddingMethod.PKCS5),
]);

/** Until 1.3 the tag is the end of the data; 1.4 has a field for it. What the server makes opens with OpenSSL, and the other way round. */
async function encrypts(client: KmipClient, id: string, key: Uint8Array): Promise<void> {
  const payload = await client.do('Encrypt', ID(id), GCM, bytes(TAG.Data, PLAIN));
  const data = required(bytesOf(payload, TAG.Data), TAG.Data);
  const iv = required(bytesOf(payload, TAG.IVCounterNonce), TAG.IVCounterNonce);
  const inField = client.knows('1.4');
  assert.equal(data.length, PLAIN.length + (inField ? 0 : 16));
  assert.equal(bytesOf(payload, TAG.AuthenticatedEncryptionTag)?.length, inField ? 16 : undefined);
  const decipher = createDecipheriv('aes-128-gcm', key, iv);
  decipher.setAuthTag(bytesOf(payload, TAG.AuthenticatedEncryptionTag) ?? data.subarray(-16));
  assert.deepEqual(Buffer.concat([decipher.update(data.subarray(0, PLAIN.length)), decipher.final()]), PLAIN);

  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const encrypted = Buffer.concat([cipher.update(PLAIN), cipher.final()]);
  const tag = cipher.getAuthTag();
  const given = inField
    ? [bytes(TAG.Data, encrypted), bytes(TAG.IVCounterNonce, nonce), bytes(TAG.AuthenticatedEncryptionTag, tag)]
    : [bytes(TAG.Data, Buffer.concat([encrypted, tag])), bytes(TAG.IVCounterNonce, nonce)];
  const decrypted = await client.do('Decrypt', ID(id), GCM, ...given);
  assert.deepEqual(Buffer.from(required(bytesOf(decrypted, TAG.Data), TAG.Data)), PLAIN);
}

/** Adds, changes and deletes a custom attribute and a description of the object. */
async function describes(client: KmipClient, id: string): Promise<void> {
  const one = client.custom('purpose', 'first');
  const two = client.custom('purpose', 'second');
  const given = (attribute: Node) => (client.isOld ? attribute : structure(TAG.NewAttribute, [attribute]));
  const added = await client.do('AddAttribute', ID(id), given(one));
  // 1.x answers with the attribute, 2.x does not.
  assert.deepEqual(added.value, client.isOld ? [ID(id), one] : [ID(id)]);
  const changed = await client.do('ModifyAttribute', ID(id), ...(client.isOld ? [] : [structure(TAG.CurrentAttribute, [one])]), given(two));
  assert.deepEqual(changed.value, client.isOld ? [ID(id), two] : [ID(id)]);
  const reference = client.isOld
    ? text(TAG.AttributeName, 'x-purpose')
    : structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'purpose')]);
  const shown = await client.do('GetAttributes', ID(id), reference);
  assert.deepEqual(shown.value, [ID(id), client.isOld ? two : structure(TAG.Attributes, [two])]);
  assert.ok((await client.do('GetAttributeList', ID(id))).value.some((node) => JSON.stringify(node) === JSON.stringify(reference)));
  await client.do('DeleteAttribute', ID(id), client.isOld ? reference : structure(TAG.CurrentAttribute, [two]));
  assert.equal((await client.do('GetAttributes', ID(id), reference)).value.length, client.isOld ? 1 : 2);
}

/** Attributes of a key with the version they came with. */
const SINCE: readonly (readonly [tag: number, since: string])[] = [
  [TAG.State, '1.0'],
  [TAG.Digest, '1.0'],
  [TAG.LeaseTime, '1.0'],
  [TAG.Fresh, '1.1'],
  [TAG.OriginalCreationDate, '1.2'],
  [TAG.RandomNumberGenerator, '1.3'],
  [TAG.Sensitive, '1.4'],
  [TAG.NeverExtractable, '1.4'],
  [TAG.ShortUniqueIdentifier, '2.0'],
  [TAG.KeyFormatType, '2.0'],
  [TAG.ProtectionStorageMask, '2.0'],
];

async function listsWhatItKnows(client: KmipClient, id: string): Promise<void> {
  const list = await client.do('GetAttributeList', ID(id));
  const expected = client.isOld ? TAG.AttributeName : TAG.AttributeReference;
  const [first, ...references] = list.value;
  assert.equal(first?.tag, TAG.UniqueIdentifier);
  assert.ok(references.length > 5 && references.every(({ tag }) => tag === expected));
  const listed = new Set(references.map(({ value }) => value));
  for (const [tag, since] of SINCE)
    assert.equal(listed.has(client.isOld ? inWords(tag) : tag), client.knows(since), `${inWords(tag)} in ${JSON.stringify(client.speech)}`);
}

async function replaces(client: KmipClient, id: string, keyName: string): Promise<string> {
  const payload = await client.do('ReKey', ID(id));
  assert.deepEqual(tagsIn(payload), [TAG.UniqueIdentifier]);
  const replacement = textIn(payload, TAG.UniqueIdentifier);
  assert.notEqual(replacement, id);
  const links = async (of: string): Promise<[number | undefined, string | undefined]> => {
    const link = await client.valueOf(of, TAG.Link);
    assert.ok(isStructure(link));
    return [codeOf(link, TAG.LinkType), textOf(link, TAG.LinkedObjectIdentifier)];
  };
  assert.deepEqual(await links(id), [LinkType.ReplacementObjectLink, replacement]);
  assert.deepEqual(await links(replacement), [LinkType.ReplacedObjectLink, id]);
  // Section 4.4 of 1.4: the name goes to the replacement.
  assert.deepEqual(await located(client, keyName), [replacement]);
  return replacement;
}

async function revokes(client: KmipClient, id: string): Promise<void> {
  const reason = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, RevocationReasonCode.CessationOfOperation)]);
  assert.deepEqual((await client.do('Revoke', ID(id), reason)).value, [ID(id)]);
  assert.equal((await client.valueOf(id, TAG.State))?.value, State.Deactivated);
}

async function destroys(client: KmipClient, id: string): Promise<void> {
  assert.deepEqual((await client.do('Destroy', ID(id))).value, [ID(id)]);
  assert.equal((await client.valueOf(id, TAG.State))?.value, State.Destroyed);
  // ObjectDestroyed came with 2.0; until then the server has attributes only (table 338 of 1.4).
  assert.equal(await client.refused('Get', ID(id)), client.isOld ? 'ItemNotFound' : 'ObjectDestroyed');
}

for (const speech of SPEECHES) {
  const { major, minor, encoding } = speech;
  test(`KMIP ${major}.${minor} in ${encoding}: the life of a key`, async () => {
    const client = speaking(speech);
    const keyName = `key of ${major}.${minor} ${encoding}`;
    const id = await createKey(client, keyName);
    assert.equal((await client.valueOf(id, TAG.State))?.value, State.PreActive);
    assert.deepEqual(await located(client, keyName), [id]);
    await listsWhatItKnows(client, id);
    await describes(client, id);
    const material = await materialOf(client, id);
    assert.equal(material.length, 16);
    // Encrypt came with 1.2; a key that is not active does not encrypt.
    const early = await client.refused('Encrypt', ID(id), CBC, bytes(TAG.Data, PLAIN));
    assert.equal(early, client.knows('2.0') ? 'WrongKeyLifecycleState' : client.knows('1.2') ? 'PermissionDenied' : 'OperationNotSupported');
    assert.deepEqual((await client.do('Activate', ID(id))).value, [ID(id)]);
    assert.equal((await client.valueOf(id, TAG.State))?.value, State.Active);
    if (client.knows('1.2')) await encrypts(client, id, material);
    const replacement = await replaces(client, id, keyName);
    for (const each of [id, replacement]) {
      await revokes(client, each);
      await destroys(client, each);
    }
    assert.deepEqual(await located(client, keyName), []);
  });

  test(`KMIP ${major}.${minor} in ${encoding}: the header, and what the version has not`, async () => {
    const client = speaking(speech);
    const whichObjects = enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryObjects);
    const { header, payload } = await client.ask('Query', whichObjects);
    assert.equal(await client.refused('Query'), 'InvalidMessage');
    // The server's correlation value came with 1.4; before 2.1 it is for those that send one.
    assert.equal(textOf(header, TAG.ServerCorrelationValue) !== undefined, client.knows('2.1'));
    if (client.knows('1.4')) {
      const { header: correlated } = await speaking({ ...speech, correlation: 'mine' }).ask('Query', whichObjects);
      assert.ok(textOf(correlated, TAG.ServerCorrelationValue));
    }
    // Templates went with 2.0, PGP keys came with 1.2.
    const objects = payload.value.map(({ value }) => value);
    assert.equal(objects.includes(ObjectType.Template), client.isOld);
    assert.equal(objects.includes(ObjectType.PGPKey), client.knows('1.2'));
    const type = enumeration(TAG.ObjectType, ObjectType.SymmetricKey);
    const foreign: Structure = structure(client.isOld ? TAG.Attributes : TAG.TemplateAttribute, [integer(TAG.CryptographicLength, 128)]);
    assert.equal(await client.refused('Create', type, foreign), client.isOld ? 'InvalidField' : 'InvalidMessage');
    if (!client.knows('1.1')) assert.equal(await client.refused('DiscoverVersions'), 'OperationNotSupported');
    else {
      const versions = (await client.do('DiscoverVersions')).value.map((node) => (node as Structure).value.map(({ value }) => value).join('.'));
      // 3.0 is a draft: it is told to those who speak it, or ask for it.
      assert.deepEqual(versions, [...(client.isLater ? ['3.0'] : []), '2.1', '2.0', '1.4', '1.3', '1.2', '1.1', '1.0']);
      const named = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 3), integer(TAG.ProtocolVersionMinor, 0)]);
      assert.equal((await client.do('DiscoverVersions', named)).value.length, 1);
    }
  });
}

test('reasons that a version has no code for are told by the nearest it has', async () => {
  for (const version of VERSIONS) {
    const client = speaking({ ...version, encoding: 'binary' });
    const id = await createKey(client, `for its refusals in ${version.major}.${version.minor}`);
    const unused = client.isOld
      ? [text(TAG.AttributeName, 'x-nothing')]
      : [structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'nothing')])];
    assert.equal(await client.refused('Get', ID('no such object')), client.isOld ? 'ItemNotFound' : 'ObjectNotFound');
    assert.equal(await client.refused('DeleteAttribute', ID(id), ...unused), client.isOld ? 'ItemNotFound' : 'AttributeNotFound');
    const state = client.attribute(enumeration(TAG.State, State.Active));
    const given = client.isOld ? state : structure(TAG.NewAttribute, [state]);
    assert.equal(await client.refused('AddAttribute', ID(id), given), client.isOld ? 'PermissionDenied' : 'ReadOnlyAttribute');
    const misshapen = client.attributes(boolean(TAG.CryptographicLength, true));
    const type = enumeration(TAG.ObjectType, ObjectType.SymmetricKey);
    assert.equal(await client.refused('Create', type, misshapen), client.isOld ? 'InvalidField' : 'InvalidAttributeValue');
  }
});

test('templates of KMIP 1.x: new objects take from them what the request does not say', async () => {
  for (const version of VERSIONS.filter(({ major }) => major === 1)) {
    const client = speaking({ ...version, encoding: 'xml' });
    const templateName = `template of 1.${version.minor}`;
    const algorithm = client.attribute(enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES));
    const length = (bits: number) => client.attribute(integer(TAG.CryptographicLength, bits));
    const mask = client.attribute(integer(TAG.CryptographicUsageMask, Encrypt));
    const type = enumeration(TAG.ObjectType, ObjectType.Template);
    const content = structure(TAG.Template, [algorithm, length(256), mask]);
    const registered = await client.do('Register', type, client.attributes(name(templateName)), content);
    const template = ID(textIn(registered, TAG.UniqueIdentifier));
    assert.deepEqual((await client.do('Get', template)).value, [type, template, content]);
    assert.deepEqual((await client.do('Locate', ...client.conditions(name(templateName), type))).value.at(-1), template);

    const create = (...members: readonly Node[]) => [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), structure(TAG.TemplateAttribute, members)] as const;
    const made = textIn(await client.do('Create', ...create(name(templateName))), TAG.UniqueIdentifier);
    assert.equal((await materialOf(client, made)).length, 32);
    assert.equal((await client.valueOf(made, TAG.CryptographicUsageMask))?.value, Encrypt);
    const shorter = textIn(await client.do('Create', ...create(name(templateName), length(192))), TAG.UniqueIdentifier);
    assert.equal((await materialOf(client, shorter)).length, 24);

    assert.equal(await client.refused('Create', ...create(name('no such template'), length(128))), 'ItemNotFound');
    assert.equal(await client.refused('Activate', template), 'IllegalOperation');
    const named = structure(TAG.Template, [client.attribute(name('of the objects'))]);
    assert.equal(await client.refused('Register', type, client.attributes(name('another')), named), 'InvalidField');
    await client.do('Destroy', template);
    assert.equal(await client.refused('Create', ...create(name(templateName))), 'ItemNotFound');
  }
});

test('every encoding was spoken', () => {
  assert.deepEqual([...new Set(SPEECHES.map(({ encoding }) => encoding))], Object.keys(ENCODINGS));
});

test('the correlation value of an answer is the id that the log and the audit log have', async () => {
  const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
  const random = [enumeration(TAG.Operation, ENUM.Operation.RNGRetrieve), structure(TAG.RequestPayload, [integer(TAG.DataLength, 1)])];
  const item = structure(TAG.BatchItem, random);
  for (const count of [1, 2]) {
    const body = encodeBinary(structure(TAG.RequestMessage, [structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, count)]), item]));
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await request(`${alice.address}/kmip`, { method: 'POST', headers, body, dispatcher: alice.agent });
    const message = decodeBinary(new Uint8Array(await answer.body.arrayBuffer()));
    const header = required(structureOf(message, TAG.ResponseHeader), TAG.ResponseHeader);
    assert.equal(textOf(header, TAG.ServerCorrelationValue), answer.headers['x-request-id']);
  }
});

test.run();
