// Encrypt, Decrypt, Sign and SignatureVerify with key pairs and certificates.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { decrypt } from '../../../../actors/kmip/operations/decrypt.ts';
import { encrypt } from '../../../../actors/kmip/operations/encrypt.ts';
import { sign } from '../../../../actors/kmip/operations/sign.ts';
import { signatureVerify } from '../../../../actors/kmip/operations/signature-verify.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../../crypto/parameters.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { enumeration, longInteger, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type KeyOptions, parameters, privateKey, publicKey, refused, run, secret, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const BIT = MASK.CryptographicUsageMask;
const DATA = utf8('the data');

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function world(pair: Pair, algorithm: CryptographicAlgorithm, options: KeyOptions = {}): ObjectsInMemory {
  return new ObjectsInMemory([privateKey('sk', pair.privateKey, algorithm, options), publicKey('pk', pair.publicKey, algorithm, options)]);
}

const ENCRYPTION: [string, Pair, CryptographicAlgorithm, CryptographicParameters][] = [
  ['RSA-OAEP SHA-256', rsa, 'RSA', { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_256' }],
  ['RSA PKCS#1 v1.5', rsa, 'RSA', { paddingMethod: 'PKCS1V1_5' }],
  ['RSA by default', rsa, 'RSA', {}],
  ['ECIES P-256', p256, 'EC', {}],
  ['ECIES X25519', generateKeyPairSync('x25519'), 'ECDH', {}],
];

for (const [name, pair, algorithm, chosen] of ENCRYPTION) {
  test(`${name} encrypts with the public key and decrypts with the private key`, async () => {
    const ctx = world(pair, algorithm);
    const { data } = await run(encrypt, ctx, { id: 'pk', parameters: chosen, data: DATA });
    assert.deepEqual(await run(decrypt, ctx, { id: 'sk', parameters: chosen, data: data as Uint8Array }), { id: 'sk', data: DATA });
    await refused(run(decrypt, ctx, { id: 'pk', parameters: chosen, data: data as Uint8Array }), 'InvalidObjectType', 'failed to retrieve the key');
    await refused(run(encrypt, ctx, { id: 'sk', parameters: chosen, data: DATA }), 'InvalidObjectType', 'not found');
    await refused(run(encrypt, ctx, { id: 'pk', parameters: chosen }), 'InvalidMessage', 'data');
    await refused(run(encrypt, ctx, { id: 'pk', parameters: chosen, data: DATA, init: true }), 'UnsupportedCryptographicParameters');
  });
}

test('what RSA cannot decrypt is refused by one text', async () => {
  await refused(run(decrypt, world(rsa, 'RSA'), { id: 'sk', data: new Uint8Array(256).fill(0xff) }), 'CryptographicFailure', 'decrypt');
  await refused(run(encrypt, world(rsa, 'RSA'), { id: 'pk', data: new Uint8Array(256) }), 'InvalidField', 'data too large');
});

for (const bits of [512, 768, 1024] as const) {
  test(`ML-KEM-${bits} encapsulates: the secret in Data, its encapsulation in IVCounterNonce`, async () => {
    const ctx = world(generateKeyPairSync(`ml-kem-${bits}`), `MLKEM_${bits}`);
    for (const data of [{}, { data: new Uint8Array() }]) {
      const made = await run(encrypt, ctx, { id: 'pk', ...data });
      assert.equal(made.data?.length, 32);
      assert.deepEqual((await run(decrypt, ctx, { id: 'sk', data: made.iv as Uint8Array })).data, made.data);
    }
  });
}

const SIGNATURES: [string, Pair, CryptographicAlgorithm, CryptographicParameters, boolean][] = [
  ['RSA PKCS#1 v1.5', rsa, 'RSA', { digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption' }, true],
  ['RSA-PSS', rsa, 'RSA', { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256', cryptographicAlgorithm: 'RSA' }, true],
  ['ECDSA P-256', p256, 'ECDSA', { digitalSignatureAlgorithm: 'ECDSAWithSHA256' }, true],
  ['Ed25519', generateKeyPairSync('ed25519'), 'Ed25519', {}, false],
  ['ML-DSA-44', generateKeyPairSync('ml-dsa-44'), 'MLDSA_44', {}, false],
];

for (const [name, pair, algorithm, chosen, digests] of SIGNATURES) {
  test(`${name} signs and verifies data${digests ? ' and digests' : ''}`, async () => {
    const ctx = world(pair, algorithm);
    const { signature } = (await run(sign, ctx, { id: 'sk', parameters: chosen, data: DATA })) as { signature: Uint8Array };
    const verified = (request: object) => run(signatureVerify, ctx, { id: 'pk', parameters: chosen, data: DATA, signature, ...request });
    assert.deepEqual(await verified({}), { id: 'pk', valid: true });
    assert.deepEqual(await verified({ data: utf8('other') }), { id: 'pk', valid: false });
    assert.deepEqual(await verified({ signature: new Uint8Array(signature.length) }), { id: 'pk', valid: false });
    const digest = new Uint8Array(createHash('sha256').update(DATA).digest());
    if (!digests) return refused(run(sign, ctx, { id: 'sk', parameters: chosen, digest }), 'UnsupportedCryptographicParameters');
    const made = (await run(sign, ctx, { id: 'sk', parameters: chosen, digest })) as { signature: Uint8Array };
    assert.equal((await verified({ signature: made.signature })).valid, true);
    const { data: _, ...byDigest } = { id: 'pk', parameters: chosen, data: DATA, signature, digest };
    assert.equal((await run(signatureVerify, ctx, byDigest)).valid, true);
  });
}

test('the parameters of the object are those of its signatures', async () => {
  const stored = { attributes: [parameters({ paddingMethod: 'OAEP' }), parameters({ paddingMethod: 'PSS', hashingAlgorithm: 'SHA_384' })] };
  const ctx = world(rsa, 'RSA', stored);
  const { signature } = (await run(sign, ctx, { id: 'sk', data: DATA })) as { signature: Uint8Array };
  const verified = (chosen: CryptographicParameters) => run(signatureVerify, world(rsa, 'RSA'), { id: 'pk', parameters: chosen, data: DATA, signature });
  assert.equal((await verified({ paddingMethod: 'PSS', hashingAlgorithm: 'SHA_384' })).valid, true);
  assert.equal((await verified({ paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256' })).valid, false);
});

test('who may sign and verify, and with what', async () => {
  const ctx = world(rsa, 'RSA');
  await refused(run(sign, ctx, { id: 'pk', data: DATA }), 'InvalidObjectType', 'no valid key for id');
  await refused(run(signatureVerify, ctx, { id: 'sk', data: DATA, signature: DATA }), 'InvalidObjectType', 'no valid key for id');
  await refused(run(sign, ctx, { id: 'sk' }), 'InvalidMessage', 'data');
  await refused(run(sign, ctx, { id: 'sk', data: DATA, digest: DATA }), 'InvalidField');
  await refused(run(signatureVerify, ctx, { id: 'pk', data: DATA }), 'InvalidMessage', 'SignatureData');
  await refused(run(sign, world(rsa, 'RSA', { mask: BIT.Verify }), { id: 'sk', data: DATA }), 'IncompatibleCryptographicUsageMask', 'no valid key for id');
  await refused(run(signatureVerify, world(rsa, 'RSA', { mask: BIT.Sign }), { id: 'pk', data: DATA, signature: DATA }), 'IncompatibleCryptographicUsageMask');
  const retired = world(rsa, 'RSA', { state: ENUM.State.Compromised });
  await refused(run(sign, retired, { id: 'sk', data: DATA }), 'WrongKeyLifecycleState', 'no valid key for id');
  assert.equal((await run(signatureVerify, retired, { id: 'pk', data: DATA, signature: DATA })).valid, false);
  await refused(run(sign, new ObjectsInMemory([secret('sk', new Uint8Array(32))]), { id: 'sk', data: DATA }), 'InvalidObjectType');
});

test('SignatureVerify takes whatever generation of a keyset verifies; none at all is Invalid', async () => {
  const old = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ctx = new ObjectsInMemory([publicKey('g1', p256.publicKey, 'ECDSA'), publicKey('g0', old.publicKey, 'ECDSA', { state: ENUM.State.Deactivated })]);
  ctx.candidates = async () => [...ctx.objects.values()];
  const by = async ({ privateKey: key }: Pair) =>
    (await run(sign, new ObjectsInMemory([privateKey('s', key, 'ECDSA')]), { id: 's', data: DATA })).signature as Uint8Array;
  assert.deepEqual(await run(signatureVerify, ctx, { id: 'set', data: DATA, signature: await by(old) }), { id: 'g0', valid: true });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  assert.deepEqual(await run(signatureVerify, ctx, { id: 'set', data: DATA, signature: await by(stranger) }), { id: 'g1', valid: false });
});

test('signatures spend usage limits', async () => {
  const once = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 1n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)]);
  const ctx = world(p256, 'ECDSA', { attributes: [once] });
  const { signature } = (await run(sign, ctx, { id: 'sk', data: DATA })) as { signature: Uint8Array };
  await refused(run(sign, ctx, { id: 'sk', data: DATA }), 'PermissionDenied');
  for (let i = 0; i < 3; i++) assert.equal((await run(signatureVerify, ctx, { id: 'pk', data: DATA, signature })).valid, true);
});

test.run();
