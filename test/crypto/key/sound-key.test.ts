// Numbers of new keys: those that do not compute, and those with which signatures verify that nobody has made.
import assert from 'node:assert/strict';
import {
  checkPrimeSync,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  generatePrimeSync,
  getDiffieHellman,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { test } from 'uvu';
import { octets, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { dhKey, dsaKey, dsaParts } from '../../../crypto/key/discrete-log-key.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { fromBytes, inverse, power } from '../../../crypto/key/modular.ts';
import { bareKey, rsaPrivateKey } from '../../../crypto/key/rsa-key.ts';
import { flawOf } from '../../../crypto/key/sound-key.ts';
import { verify } from '../../../crypto/signature/sign.ts';

const E = 65537n;
const prime = (bits: number) => generatePrimeSync(bits, { bigint: true });

/** All eight numbers follow from P and Q, as if both were primes. */
function rsaOf(p: bigint, q: bigint): KeyObject | undefined {
  const d = inverse(E, (p - 1n) * (q - 1n));
  if (d === undefined) return undefined;
  const numbers = [0n, p * q, E, d, p, q, d % (p - 1n), d % (q - 1n), inverse(q, p) ?? 0n];
  return createPrivateKey({ key: sequence(...numbers.map(unsigned)), format: 'der', type: 'pkcs1' });
}

function found<T>(make: () => T | undefined, most = 100): T {
  for (let tries = 0; tries < most; tries++) {
    const made = make();
    if (made !== undefined) return made;
  }
  throw new Error('nothing was made');
}

const forPssOnly = (pkcs1: Buffer): KeyObject =>
  createPrivateKey({ key: sequence(unsigned(0n), sequence(oid('1.2.840.113549.1.1.10')), octets(pkcs1)), format: 'der', type: 'pkcs8' });

test('RSA keys of two primes are sound, of every length', () => {
  for (const bits of [512, 1024, 2047, 2048]) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    assert.deepEqual([flawOf(privateKey), flawOf(publicKey)], [undefined, undefined]);
    assert.equal(flawOf(forPssOnly(privateKey.export({ format: 'der', type: 'pkcs1' }))), undefined);
  }
});

test('an RSA key whose P is no prime is not, also if all of its numbers follow from P and Q', () => {
  const key = found(() => rsaOf(prime(512) * prime(512), prime(1024)));
  assert.match(flawOf(key) ?? '', /^the numbers of the RSA private key do not belong together$/);
  const swapped = found(() => rsaOf(prime(1024), prime(512) * prime(512)));
  assert.match(flawOf(swapped) ?? '', /RSA/);
  assert.match(flawOf(forPssOnly(key.export({ format: 'der', type: 'pkcs1' }))) ?? '', /RSA/);
});

test('the numbers of RSA keys for PSS only are checked as those of others', () => {
  const { n, d, p, q } = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  const [modulus, exponent, one, other] = [n, d, p, q].map((text) => BigInt(`0x${Buffer.from(text as string, 'base64url').toString('hex')}`)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const right = rsaPrivateKey({ modulus, publicExponent: E, p: one, q: other });
  const wrong = [0n, modulus, E, exponent, one, other, exponent % (one - 1n), (exponent % (other - 1n)) + 2n, inverse(other, one) as bigint];
  assert.equal(flawOf(forPssOnly(right.export({ format: 'der', type: 'pkcs1' }))), undefined);
  assert.match(flawOf(forPssOnly(sequence(...wrong.map(unsigned)))) ?? '', /RSA/);
  assert.equal(bareKey(right), right);
});

test('DSA: a generator or a public key of one, or of another order, is refused', () => {
  const { privateKey, publicKey } = generatePair('DSA', { length: 2048 });
  assert.deepEqual([flawOf(privateKey), flawOf(publicKey)], [undefined, undefined]);
  const { p, q, g, value: y } = dsaParts(publicKey);
  // With both of them one, the signature (1, s) of every message is right.
  const trivial = dsaKey('PublicKey', { p, q, g: 1n, value: 1n });
  assert.ok(verify(trivial, { hashingAlgorithm: 'SHA_256' }, { data: Buffer.from('anything') }, sequence(unsigned(1n), unsigned(1n))));
  const publicOnes = [{ g: 1n, value: 1n }, { value: 1n }, { value: p - 1n }, { value: p - y }, { g: p - 1n }, { g: p - g }, { q: q + 2n }, { q: 1n << 600n }];
  for (const bad of publicOnes) assert.match(flawOf(dsaKey('PublicKey', { p, q, g, value: y, ...bad })) ?? '', /DSA/, JSON.stringify(Object.keys(bad)));
  for (const value of [q, q + 1n]) assert.match(flawOf(dsaKey('PrivateKey', { p, q, g, value })) ?? '', /DSA/);
  assert.equal(flawOf(dsaKey('PrivateKey', { p, q, g, value: q - 1n })), undefined);
});

test('DSA: P and Q are primes', () => {
  // Each number has the order that it should, as far as one can tell without the factors.
  const q = prime(160) * prime(96);
  const { p, factor } = found(() => {
    const k = fromBytes(randomBytes(96)) * 2n;
    const each = k * q + 1n;
    return checkPrimeSync(each) ? { p: each, factor: k } : undefined;
  }, 10_000);
  const g = power(2n, factor, p);
  assert.equal(power(g, q, p), 1n);
  assert.match(flawOf(dsaKey('PublicKey', { p, q, g, value: power(g, 5n, p) })) ?? '', /DSA/);
});

test('DH: a generator or a public key out of range, and a P that is no prime, are refused', () => {
  const own = BigInt(`0x${getDiffieHellman('modp14').getPrime('hex')}`);
  const good = { prime: own, generator: 2n, value: 5n };
  const { privateKey, publicKey } = generatePair('DH', { length: 2048 });
  for (const key of [privateKey, publicKey, dhKey('PrivateKey', good), dhKey('PublicKey', good)]) assert.equal(flawOf(key), undefined);
  const outside = [0n, 1n, own - 1n, own, own + 1n];
  const bad = [
    ...outside.flatMap((each) => [{ generator: each }, { value: each }]),
    { prime: own + 2n },
    { prime: own - 1n },
    { prime: prime(512) * prime(512) },
  ];
  for (const each of bad) assert.match(flawOf(dhKey('PublicKey', { ...good, ...each })) ?? '', /^the numbers of the DH key do not belong together$/);
  for (const value of [0n, own - 1n, own]) assert.match(flawOf(dhKey('PrivateKey', { ...good, value })) ?? '', /DH/);
});

test('other keys have no such numbers', () => {
  for (const { privateKey, publicKey } of [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519'), generateKeyPairSync('x448')])
    assert.deepEqual([flawOf(privateKey), flawOf(publicKey), flawOf(createPublicKey(privateKey))], [undefined, undefined, undefined]);
});

test.run();
