// The objects that the fuzzed requests are about, of every kind and in every state, made by the requests of a client.
import assert from 'node:assert/strict';
import { serve } from '../../actors/kmip/message/serve.ts';
import type { KeyServer } from '../../actors/kmip/server.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { decodeBinary, encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, interval, longInteger, type Node, type Structure, structure, text } from '../../kmip/ttlv/node.ts';
import { bytesOf, required, structureOf, textOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { ALICE, BOB } from './key-server.ts';
import {
  ANY_USE,
  active,
  attributes,
  certificateRequest,
  code,
  DATA,
  IV,
  id,
  link,
  mask,
  name,
  opaque,
  parameters,
  password,
  symmetricKey,
  vendor,
} from './members.ts';
import type { Made } from './requests.ts';

/** Identifiers that requests may name. */
export const IDENTIFIERS = [
  ...['aes', 'hmac', 'wrapper', 'xts', 'fpe', 'chacha', 'set', 'limited', 'new', 'revoked', 'destroyed', 'archived', 'wrapped', 'hidden'],
  ...['rsa', 'rsa_pk', 'ec', 'ec_pk', 'ed', 'ed_pk', 'agree', 'agree_pk', 'kem', 'kem_pk', 'root-key', 'root-key_pk'],
  ...['password', 'opaque', 'root', 'leaf', 'stored-request', 'parts_1', 'parts_2', 'parts_3', 'bobs', 'granted'],
];

/** Key material that is in the store and in no request: it must be in no message to a client. */
export const SECRETS: readonly Uint8Array[] = ['aes', 'hmac', 'wrapper', 'xts', 'fpe', 'chacha', 'limited', 'password'].map((word, at) =>
  new Uint8Array(Buffer.from(`${word}: secret number ${at} of the key server under test, long enough`)).slice(0, 32),
);
const [AES, HMAC, WRAPPER, XTS, FPE, CHACHA, LIMITED, PASSWORD] = SECRETS as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

export function requestMessage(version: { major: number; minor: number }, items: readonly Node[], header: readonly Node[] = []): Structure {
  return structure(TAG.RequestMessage, [
    structure(TAG.RequestHeader, [
      structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, version.major), integer(TAG.ProtocolVersionMinor, version.minor)]),
      ...header,
      integer(TAG.BatchCount, items.length),
    ]),
    ...items,
  ]);
}

export function batchItem(operation: OperationName, payload: readonly Node[]): Structure {
  return structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation[operation]), structure(TAG.RequestPayload, payload)]);
}

/** Makes all of them in an empty store. */
export async function makeObjects(server: KeyServer): Promise<Made> {
  const ask = async (operation: OperationName, payload: readonly Node[], caller = ALICE): Promise<Structure> => {
    const message = requestMessage({ major: 2, minor: 1 }, [batchItem(operation, payload)]);
    const answer = decodeBinary((await serve(server, encodeBinary(message), 'binary', 'any', caller)).body as Uint8Array);
    const item = required(structureOf(answer, TAG.BatchItem), TAG.BatchItem);
    assert.equal(textOf(item, TAG.ResultMessage), undefined, `${operation} ${JSON.stringify(payload[0]?.value)}`);
    return structureOf(item, TAG.ResponsePayload) ?? structure(TAG.ResponsePayload, []);
  };
  await makeThrough(ask);
  const granted = await server.rows.read(server.store, 'granted');
  assert.ok(granted);
  const rights = new Set(['get', 'encrypt', 'getattributes']);
  await server.store.transaction((tx) => server.rows.grants.write(tx, 'granted', server.rows.markOf(granted), ALICE.user, rights));
  return made(ask);
}

/** The same through whatever carries requests, but for the grant on `granted`. */
export async function makeThrough(ask: AskFor): Promise<void> {
  await makeSymmetric(ask);
  await makePairs(ask);
  await makeOthers(ask);
}

export type AskFor = (operation: OperationName, payload: readonly Node[], caller?: typeof ALICE) => Promise<Structure>;

async function makeSymmetric(ask: AskFor): Promise<void> {
  const register = (chosen: string, content: Structure, ...more: readonly Node[]) =>
    ask('Register', [code('ObjectType', 'SymmetricKey'), attributes(id(chosen), mask(ANY_USE), active, ...more), content]);
  const limits = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 1000n), code('UsageLimitsUnit', 'Byte')]);
  await register(
    'aes',
    symmetricKey(AES),
    name('first'),
    name('second'),
    vendor('tag', '["blue"]'),
    vendor('Barcode', '1', 'x'),
    text(TAG.ObjectGroup, 'group'),
  );
  await register('hmac', symmetricKey(HMAC, 'HMAC_SHA256'));
  await register('wrapper', symmetricKey(WRAPPER));
  await register('xts', symmetricKey(new Uint8Array([...XTS, ...AES])));
  await register('fpe', symmetricKey(FPE, 'FPE_FF1'));
  await register('chacha', symmetricKey(CHACHA, 'ChaCha20Poly1305'));
  await register('limited', symmetricKey(LIMITED), limits);
  await register('hidden', symmetricKey(AES), boolean(TAG.Sensitive, true), boolean(TAG.Extractable, false));
  for (const chosen of ['revoked', 'destroyed', 'archived']) await register(chosen, symmetricKey(HMAC));
  const rotation = [
    interval(TAG.RotateInterval, 86_400),
    structure(TAG.RotateName, [text(TAG.RotateNameValue, 'set'), code('RotateNameType', 'UninterpretedTextString')]),
  ];
  await register('set', symmetricKey(CHACHA), ...rotation);
  await ask('Create', [
    code('ObjectType', 'SymmetricKey'),
    attributes(id('new'), mask(ANY_USE), code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 256)),
  ]);
  const revocation = structure(TAG.RevocationReason, [code('RevocationReasonCode', 'KeyCompromise')]);
  for (const chosen of ['revoked', 'destroyed']) await ask('Revoke', [id(chosen), revocation]);
  await ask('Destroy', [id('destroyed')]);
  await ask('Archive', [id('archived')]);
}

async function makePairs(ask: AskFor): Promise<void> {
  const pair = (chosen: string, algorithm: keyof typeof ENUM.CryptographicAlgorithm, ...more: readonly Node[]) =>
    ask('CreateKeyPair', [
      structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', algorithm), mask(ANY_USE), active, ...more]),
      structure(TAG.PrivateKeyAttributes, [id(chosen)]),
      structure(TAG.PublicKeyAttributes, []),
    ]);
  await pair('rsa', 'RSA', integer(TAG.CryptographicLength, 2048));
  await pair('ec', 'EC', integer(TAG.CryptographicLength, 256));
  await pair('ed', 'Ed25519');
  await pair('agree', 'ECDH', structure(TAG.CryptographicDomainParameters, [code('RecommendedCurve', 'CURVE25519')]));
  await pair('kem', 'MLKEM_512');
  await pair('root-key', 'EC', integer(TAG.CryptographicLength, 256));
}

async function makeOthers(ask: AskFor): Promise<void> {
  const register = (type: keyof typeof ENUM.ObjectType, chosen: string, content: Structure, caller = ALICE, ...more: readonly Node[]) =>
    ask('Register', [code('ObjectType', type), attributes(id(chosen), ...more), content], caller);
  await register('SecretData', 'password', password(PASSWORD), ALICE, mask(ANY_USE), active);
  await register('OpaqueObject', 'opaque', opaque(DATA));
  await register('CertificateRequest', 'stored-request', certificateRequest);
  for (const chosen of ['bobs', 'granted']) await register('SymmetricKey', chosen, symmetricKey(AES), BOB, mask(ANY_USE), active);
  const parts = [integer(TAG.SplitKeyParts, 3), integer(TAG.SplitKeyThreshold, 2), code('SplitKeyMethod', 'PolynomialSharingGF28')];
  await ask('CreateSplitKey', [
    code('ObjectType', 'SymmetricKey'),
    ...parts,
    attributes(id('parts'), code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128), mask(ANY_USE)),
  ]);
  const subject = (cn: string) => structure(TAG.CertificateAttributes, [text(TAG.CertificateSubjectCN, cn)]);
  const authority = vendor('x509-extension', '[ v3_ca ]\nbasicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,crlSign\n');
  await ask('Certify', [id('root-key_pk'), attributes(id('root'), subject('Root'), authority)]);
  await ask('Certify', [id('ec_pk'), attributes(id('leaf'), subject('Leaf'), link('CertificateLink', 'root'), link('PrivateKeyLink', 'root-key'))]);
}

export async function made(ask: AskFor): Promise<Made> {
  const gcm = parameters(code('BlockCipherMode', 'GCM'), integer(TAG.TagLength, 16));
  const iv = [bytes(TAG.IVCounterNonce, IV), bytes(TAG.AuthenticatedEncryptionAdditionalData, IV)];
  const encrypted = await ask('Encrypt', [id('aes'), gcm, bytes(TAG.Data, DATA), ...iv]);
  const oaep = parameters(code('PaddingMethod', 'OAEP'), code('HashingAlgorithm', 'SHA_256'));
  const sealed = await ask('Encrypt', [id('rsa_pk'), oaep, bytes(TAG.Data, DATA)]);
  const signed = await ask('Sign', [id('ed'), bytes(TAG.Data, DATA)]);
  const authenticated = await ask('MAC', [id('hmac'), bytes(TAG.Data, DATA)]);
  const specification = structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id('wrapper')])]);
  const wrapped = await ask('Get', [id('aes'), specification]);
  const content = required(structureOf(wrapped, TAG.SymmetricKey), TAG.SymmetricKey);
  await ask('Register', [code('ObjectType', 'SymmetricKey'), attributes(id('wrapped'), mask(ANY_USE), active), content]);
  const of = (answer: Structure, tag: number): Uint8Array => required(bytesOf(answer, tag), tag);
  return {
    ciphertext: { data: of(encrypted, TAG.Data), tag: of(encrypted, TAG.AuthenticatedEncryptionTag) },
    sealed: of(sealed, TAG.Data),
    signature: of(signed, TAG.SignatureData),
    mac: of(authenticated, TAG.MACData),
    wrapped: required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock),
    certificate: required(structureOf(await ask('Get', [id('root')]), TAG.Certificate), TAG.Certificate),
    ticket: required(structureOf(await ask('Login', []), TAG.Ticket), TAG.Ticket),
  };
}
