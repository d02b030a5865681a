// The table of known answers: all are right, none is right by accident, and there is one for everything that this server offers.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { decrypt, encrypt } from '../../crypto/cipher/asymmetric-encrypt.ts';
import { cbcHmac } from '../../crypto/cipher/cbc-hmac.ts';
import { cipherFor } from '../../crypto/cipher/cipher.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { derive } from '../../crypto/derivation/derive.ts';
import { ff1Encrypt } from '../../crypto/format-preserving/fpe.ts';
import { hash } from '../../crypto/hash.ts';
import { encapsulate } from '../../crypto/key/encapsulation.ts';
import { agree } from '../../crypto/key/key-agreement.ts';
import { generatePair } from '../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm, HashingAlgorithm } from '../../crypto/parameters.ts';
import { split } from '../../crypto/secret-sharing/split.ts';
import type { KnownAnswer } from '../../crypto/self-test/known-answer.ts';
import { isRight, readKnownAnswers } from '../../crypto/self-test/known-answers.ts';
import { macAlgorithm } from '../../crypto/signature/mac.ts';
import { sign, verify } from '../../crypto/signature/sign.ts';
import { switchOff } from '../../crypto/switched-off.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';

const table = await readKnownAnswers();
const named = (answer: KnownAnswer) => `${answer.algorithm}, ${answer.source}`;
const names = <E extends keyof typeof ENUM>(enumeration: E) => Object.keys(ENUM[enumeration]) as (keyof (typeof ENUM)[E])[];
const DATA = Buffer.alloc(32);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

test('every known answer is right', async () => {
  for (const answer of table) assert.equal(await isRight(answer), true, named(answer));
});

test('with another expected value each of them is wrong', async () => {
  const expected = ['encrypted', 'tag', 'digest', 'mac', 'derived', 'secret', 'signature', 'publicKeyDigest'] as const;
  let checked = 0;
  for (const answer of table)
    for (const member of expected) {
      const value = (answer as unknown as Record<string, string>)[member];
      if (value === undefined) continue;
      const changed = value.slice(0, -1) + (value.endsWith('1') ? '2' : '1');
      assert.equal(await isRight({ ...answer, [member]: changed } as KnownAnswer), false, `${named(answer)}: ${member}`);
      checked += 1;
    }
  assert.ok(checked > table.length, `${checked} values of ${table.length} answers`);
});

test('an algorithm that is switched off says nothing about what is built from it', async () => {
  const derivation = table.find(({ algorithm }) => algorithm === 'KDF-ENCRYPT') as KnownAnswer;
  switchOff('AES-ECB');
  assert.equal(await isRight(derivation), true);
});

/** Everything that the server offers, by a name for messages. */
function* offered(): Generator<readonly [what: string, use: () => unknown]> {
  const modes = [undefined, ...names('BlockCipherMode')];
  for (const algorithm of names('CryptographicAlgorithm') as CryptographicAlgorithm[]) {
    for (const blockCipherMode of modes)
      for (const bytes of [16, 24, 32, 64])
        yield [`${algorithm} ${blockCipherMode} ${bytes}`, () => cipherFor(algorithm, { ...(blockCipherMode && { blockCipherMode }) }, bytes)];
    yield [`MAC with ${algorithm}`, () => macAlgorithm(algorithm, {})];
    yield [`CMAC with ${algorithm}`, () => macAlgorithm(algorithm, { blockCipherMode: 'CMAC' })];
  }
  for (const name of names('HashingAlgorithm') as HashingAlgorithm[]) {
    yield [name, () => hash(name, DATA)];
    yield [`HMAC with ${name}`, () => macAlgorithm('AES', { hashingAlgorithm: name })];
    for (const bytes of [32, 48, 64]) yield [`AES-CBC with HMAC and ${name}`, () => cbcHmac({ hashingAlgorithm: name }, bytes)];
  }
  for (const method of names('DerivationMethod')) yield [`derivation by ${method}`, () => derive(method as never, { parameters: {}, data: [], length: 16 })];
  for (const method of ['XOR', 'PolynomialSharingGF28', 'PolynomialSharingGF216', 'PolynomialSharingPrimeField'] as const)
    yield [`split by ${method}`, () => split(method, DATA, 2, 2)];
  yield ['FF1', () => ff1Encrypt(DATA, {}, Buffer.from('0123456789'))];
}

/** Of key pairs, by node:crypto's types; made before anything is switched off. */
function* offeredOfPairs(): Generator<readonly [what: string, use: () => unknown]> {
  for (const paddingMethod of ['OAEP', 'PKCS1V1_5', 'None', undefined] as const) {
    const parameters = paddingMethod === undefined ? {} : { paddingMethod };
    yield [`RSA encryption with ${paddingMethod}`, () => encrypt(rsa.publicKey, parameters, DATA)];
    yield [`RSA decryption with ${paddingMethod}`, () => decrypt(rsa.privateKey, parameters, DATA)];
  }
  for (const paddingMethod of ['PSS', 'PKCS1V1_5', undefined] as const) {
    const parameters = paddingMethod === undefined ? {} : { paddingMethod };
    yield [`RSA signature with ${paddingMethod}`, () => sign(rsa.privateKey, parameters, { data: DATA })];
    yield [`RSA verification with ${paddingMethod}`, () => verify(rsa.publicKey, parameters, { data: DATA }, DATA)];
  }
  const curves = ['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve }));
  for (const { privateKey, publicKey } of curves) {
    yield ['ECDSA', () => sign(privateKey, {}, { data: DATA })];
    yield ['ECIES', () => encrypt(publicKey, {}, DATA)];
    yield ['ECDH', () => agree(privateKey, publicKey)];
  }
  const generate = generateKeyPairSync as unknown as (type: string) => typeof rsa;
  const sets = ['sha2', 'shake'].flatMap((family) => ['128s', '128f', '192s', '192f', '256s', '256f'].map((set) => `slh-dsa-${family}-${set}`));
  for (const type of ['ed25519', 'ed448', 'ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87', ...sets]) {
    const { privateKey } = generate(type);
    yield [`signature of ${type}`, () => sign(privateKey, {}, { data: DATA })];
  }
  for (const type of ['x25519', 'x448']) {
    const pair = generate(type);
    yield [`agreement with ${type}`, () => agree(pair.privateKey, pair.publicKey)];
    yield [`encapsulation of ${type}`, () => encapsulate(pair.publicKey)];
  }
  for (const type of ['ml-kem-512', 'ml-kem-768', 'ml-kem-1024']) {
    const { publicKey } = generate(type);
    yield [`encapsulation of ${type}`, () => encapsulate(publicKey)];
  }
  for (const algorithm of ['DSA', 'DH', 'Ed25519', 'Ed448', 'MLKEM_512', 'MLDSA_87', 'SLHDSA_SHA2_128f', 'SLHDSA_SHAKE_256s'] as const)
    yield [`pairs of ${algorithm}`, () => generatePair(algorithm)];
}

/** What it does not offer. */
const NOT_OFFERED: ReadonlySet<CryptoError['code']> = new Set(['unsupported', 'unsupported_derivation', 'invalid', 'bad_parameters']);

test('whatever the server offers has a known answer: with all of the table switched off, nothing is done', () => {
  const uses = [...offered(), ...offeredOfPairs()];
  for (const { algorithm } of table) switchOff(algorithm);
  let refused = 0;
  for (const [what, use] of uses) {
    let outcome = 'done';
    try {
      use();
    } catch (error) {
      assert.ok(error instanceof CryptoError, `${what}: ${error}`);
      outcome = error.code;
    }
    if (outcome === 'switched_off') refused += 1;
    else assert.ok(NOT_OFFERED.has(outcome as CryptoError['code']), `${what}: ${outcome}`);
  }
  assert.ok(refused > 120, `${refused} of ${uses.length}`);
});

test.run();
