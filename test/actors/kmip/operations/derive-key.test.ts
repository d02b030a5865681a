// DeriveKey: published answers, the new object and its links, what it demands of request and keys.
import assert from 'node:assert/strict';
import { createHash, diffieHellman, generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { linkedTo } from '../../../../actors/kmip/object/create.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { deriveKey } from '../../../../actors/kmip/operations/derive-key.ts';
import { rekey } from '../../../../actors/kmip/operations/rekey.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, longInteger, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { hex, parameters, privateKey, publicKey, refused, secret, secretBytes, secretData, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const BIT = MASK.CryptographicUsageMask;

interface Derivation {
  readonly ids?: readonly string[];
  readonly idTag?: number;
  readonly type?: keyof typeof ENUM.ObjectType;
  readonly method: keyof typeof ENUM.DerivationMethod;
  readonly given?: readonly Node[];
  readonly bits?: number;
  readonly attributes?: readonly Node[];
}

function request({ ids = ['base'], idTag = TAG.UniqueIdentifier, type = 'SymmetricKey', method, given = [], bits = 256, attributes }: Derivation) {
  const described = attributes ?? [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, bits),
    integer(TAG.CryptographicUsageMask, BIT.Encrypt),
  ];
  return structure(TAG.RequestPayload, [
    enumeration(TAG.ObjectType, ENUM.ObjectType[type]),
    ...ids.map((id) => text(idTag, id)),
    enumeration(TAG.DerivationMethod, ENUM.DerivationMethod[method]),
    structure(TAG.DerivationParameters, given),
    structure(TAG.Attributes, described),
  ]);
}

async function derived(ctx: ObjectsInMemory, derivation: Derivation): Promise<Draft> {
  const [id] = await deriveKey.run(request(derivation), ctx);
  return ctx.objects.get(id?.value as string) as Draft;
}

const digits = (object: Draft) => Buffer.from(secretBytes(object)).toString('hex');

/** RFC 5869 appendix A.1. */
const HKDF: Derivation = {
  method: 'HKDF',
  given: [bytes(TAG.Salt, hex('000102030405060708090a0b0c')), bytes(TAG.DerivationData, hex('f0f1f2f3f4f5f6f7f8f9'))],
  bits: 42 * 8,
};
const IKM = hex('0b'.repeat(22));

test('HKDF of RFC 5869: a new key, linked both ways, by the standard tag and by its alias', async () => {
  for (const idTag of [TAG.UniqueIdentifier, TAG.ObjectUniqueIdentifier]) {
    const ctx = new ObjectsInMemory([secret('base', IKM)]);
    const key = await derived(ctx, { ...HKDF, idTag });
    assert.equal(digits(key), '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865');
    assert.deepEqual([key.type, key.state, key.owner], [ENUM.ObjectType.SymmetricKey, ENUM.State.PreActive, 'acme/alice']);
    assert.equal(key.attributes.first(TAG.CryptographicLength)?.value, 336);
    assert.equal(linkedTo(key, 'DerivationBaseObjectLink'), 'base');
    assert.equal(linkedTo(ctx.objects.get('base') as Draft, 'DerivedKeyLink'), key.id);
    assert.deepEqual(ctx.audited, [`key.derive ${key.id}`]);
  }
});

test('PBKDF2 of RFC 7914 section 11, as secret data, from a password', async () => {
  const ctx = new ObjectsInMemory([secretData('base', utf8('passwd'))]);
  const given = [parameters({ hashingAlgorithm: 'SHA_256' }), bytes(TAG.Salt, utf8('salt')), integer(TAG.IterationCount, 1)];
  const made = await derived(ctx, { method: 'PBKDF2', given, type: 'SecretData', attributes: [integer(TAG.CryptographicLength, 512)] });
  assert.equal(made.type, ENUM.ObjectType.SecretData);
  assert.equal(
    digits(made),
    '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
  );
});

test('the hashing algorithm beside the parameters counts too; salt and iterations are checked', async () => {
  const ctx = new ObjectsInMemory([secret('base', IKM)]);
  const salt = bytes(TAG.Salt, utf8('salt'));
  const count = (value: number) => integer(TAG.IterationCount, value);
  const inside = await derived(ctx, { method: 'PBKDF2', given: [parameters({ hashingAlgorithm: 'SHA_512' }), salt, count(2)] });
  const beside = await derived(ctx, { method: 'PBKDF2', given: [enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_512), salt, count(2)] });
  assert.equal(digits(inside), digits(beside));
  await refused(deriveKey.run(request({ method: 'PBKDF2', given: [count(2)] }), ctx), 'InvalidField', 'Salt');
  await refused(deriveKey.run(request({ method: 'PBKDF2', given: [salt, count(-1)] }), ctx), 'InvalidField', 'iteration');
});

test('derivation data from secret data, but not from two places', async () => {
  const ctx = new ObjectsInMemory([secret('base', IKM, 'HMAC_SHA256'), secretData('label', utf8('label'))]);
  const data = bytes(TAG.DerivationData, utf8('label'));
  const named = await derived(ctx, { method: 'HMAC', ids: ['base', 'label'] });
  const given = await derived(ctx, { method: 'HMAC', given: [data] });
  assert.equal(digits(named), digits(given));
  assert.deepEqual(named.attributes.all(TAG.Link).length, 2);
  await refused(deriveKey.run(request({ method: 'HMAC', ids: ['base', 'label'], given: [data] }), ctx), 'InvalidMessage', 'not both');
});

test('a derived key has room for parity bits, and is of a symmetric algorithm that the server allows', async () => {
  const attributes = (algorithm: keyof typeof ENUM.CryptographicAlgorithm, bits: number) => [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]),
    integer(TAG.CryptographicLength, bits),
    integer(TAG.CryptographicUsageMask, BIT.Encrypt),
  ];
  const ctx = new ObjectsInMemory([secret('base', IKM)]);
  for (const [bits, bytes] of [
    [112, 16],
    [168, 24],
    [192, 24],
  ] as const) {
    const key = await derived(ctx, { ...HKDF, attributes: attributes('DES3', bits) });
    assert.deepEqual([secretBytes(key).length, key.attributes.first(TAG.CryptographicLength)?.value], [bytes, bits]);
  }
  for (const algorithm of ['RSA', 'EC', 'MLKEM_768'] as const)
    await refused(deriveKey.run(request({ ...HKDF, attributes: attributes(algorithm, 256) }), ctx), 'InvalidField', algorithm);
  const strict = new ObjectsInMemory([secret('base', IKM)], { args: { algorithms: ['ChaCha20'] } });
  await refused(deriveKey.run(request(HKDF), strict), 'InvalidField', 'not configured to use AES');
});

test('a key that has to withstand quantum computers is not derived where Create would not make it', async () => {
  const ctx = new ObjectsInMemory([secret('base', IKM)]);
  const of = (name: keyof typeof ENUM.CryptographicAlgorithm, bits: number): Derivation => ({
    ...HKDF,
    attributes: [
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[name]),
      integer(TAG.CryptographicLength, bits),
      integer(TAG.CryptographicUsageMask, BIT.Encrypt),
      boolean(TAG.QuantumSafe, true),
    ],
  });
  await refused(deriveKey.run(request(of('AES', 128)), ctx), 'GeneralFailure', 'AES of 128 bits');
  assert.equal((await derived(ctx, of('AES', 256))).attributes.first(TAG.QuantumSafe)?.value, true);
});

test('HASH is over the key, never over public data in its place', async () => {
  const ctx = new ObjectsInMemory([secret('base', IKM)]);
  const hashing = parameters({ hashingAlgorithm: 'SHA_256' });
  assert.equal(digits(await derived(ctx, { method: 'HASH', given: [hashing] })), createHash('sha256').update(IKM).digest('hex'));
  await refused(deriveKey.run(request({ method: 'HASH', given: [hashing, bytes(TAG.DerivationData, utf8('x'))] }), ctx), 'InvalidField');
});

test('key agreement of a private and a public key, cut to the length', async () => {
  const [mine, yours] = [generateKeyPairSync('x25519'), generateKeyPairSync('x25519')];
  const ctx = new ObjectsInMemory([privateKey('base', mine.privateKey, 'ECDH'), publicKey('peer', yours.publicKey, 'ECDH')]);
  const key = await derived(ctx, { method: 'AsymmetricKey', ids: ['base', 'peer'], bits: 128 });
  const shared = diffieHellman({ privateKey: yours.privateKey, publicKey: mine.publicKey });
  assert.equal(digits(key), shared.subarray(0, 16).toString('hex'));
  await refused(deriveKey.run(request({ method: 'AsymmetricKey', ids: ['base', 'peer'], bits: 512 }), ctx), 'CryptographicFailure');
  await refused(deriveKey.run(request({ method: 'AsymmetricKey' }), ctx), 'InvalidObjectType');
});

test('a derivation does not yield more than its method does', async () => {
  const ctx = new ObjectsInMemory([secret('base', new Uint8Array(16))]);
  const data = bytes(TAG.DerivationData, new Uint8Array(16));
  const cipher = parameters({ blockCipherMode: 'ECB', paddingMethod: 'None' });
  const hashing = parameters({ hashingAlgorithm: 'SHA_1' });
  const attempts = [
    { method: 'HKDF', bits: 256 * 255 + 8 },
    { method: 'HASH', given: [hashing] },
    { method: 'HMAC', given: [hashing, data] },
    { method: 'ENCRYPT', given: [cipher, data] },
  ] as const;
  for (const attempt of attempts) await refused(deriveKey.run(request({ bits: 264, ...attempt, type: 'SecretData' }), ctx), 'CryptographicFailure', 'at most');
});

test('what a request needs', async () => {
  const ctx = new ObjectsInMemory([secret('base', IKM)]);
  const aes = enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES);
  await refused(deriveKey.run(request({ ...HKDF, attributes: [aes] }), ctx), 'InvalidMessage', 'CryptographicLength');
  await refused(deriveKey.run(request({ ...HKDF, attributes: [integer(TAG.CryptographicLength, 256)] }), ctx), 'InvalidMessage', 'algorithm');
  for (const bits of [0, -8, 12]) await refused(deriveKey.run(request({ ...HKDF, bits }), ctx), 'InvalidField', 'length');
  await refused(deriveKey.run(request({ ...HKDF, type: 'PrivateKey' }), ctx), 'InvalidField');
  await refused(deriveKey.run(request({ ...HKDF, ids: [] }), ctx), 'InvalidMessage', 'UniqueIdentifier');
  await refused(deriveKey.run(request({ ...HKDF, ids: ['base', 'missing'] }), ctx), 'ObjectNotFound');
  assert.equal(ctx.objects.size, 1);
});

test('the key has to be active, for derivation, and within its usage limits', async () => {
  const limit = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 1n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)]);
  await refused(deriveKey.run(request(HKDF), new ObjectsInMemory([secret('base', IKM, 'AES', { mask: BIT.Encrypt })])), 'IncompatibleCryptographicUsageMask');
  await refused(deriveKey.run(request(HKDF), new ObjectsInMemory([secret('base', IKM, 'AES', { state: ENUM.State.Deactivated })])), 'WrongKeyLifecycleState');
  const ctx = new ObjectsInMemory([secret('base', IKM, 'AES', { mask: BIT.DeriveKey, attributes: [limit] })]);
  await derived(ctx, HKDF);
  await refused(deriveKey.run(request(HKDF), ctx), 'UsageLimitExceeded');
  assert.equal(ctx.objects.size, 2);
});

test('without parameters, KMIP 1.x takes the first ones of the key', async () => {
  const stored = [parameters({ hashingAlgorithm: 'SHA_512' }), parameters({ hashingAlgorithm: 'SHA_256' })];
  const base = secret('base', IKM, 'AES', { attributes: stored });
  const key = await derived(new ObjectsInMemory([base], { version: { major: 1, minor: 4 } }), { method: 'HASH' });
  assert.equal(digits(key), createHash('sha512').update(IKM).digest('hex').slice(0, 64));
  await refused(deriveKey.run(request({ method: 'HASH' }), new ObjectsInMemory([base])), 'InvalidField', 'HashingAlgorithm');
});

test('the replacement of a derived key is not derived, and nothing is derived from that of its base', async () => {
  const ctx = new ObjectsInMemory([secret('base', hex('0b'.repeat(32)))]);
  const key = await derived(ctx, { ...HKDF, bits: 256 });
  for (const id of [key.id, 'base']) {
    const [made] = await rekey.run(structure(TAG.RequestPayload, [text(TAG.UniqueIdentifier, id)]), ctx);
    const replacement = ctx.objects.get(made?.value as string) as Draft;
    assert.deepEqual([linkedTo(replacement, 'DerivationBaseObjectLink'), linkedTo(replacement, 'DerivedKeyLink')], [undefined, undefined]);
    assert.equal(linkedTo(replacement, 'ReplacedObjectLink'), id);
  }
});

test.run();
