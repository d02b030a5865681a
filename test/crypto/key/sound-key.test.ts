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
import { bits, octets, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { dhKey, dsaKey, dsaParts } from '../../../crypto/key/discrete-log-key.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { fromBytes, inverse, power } from '../../../crypto/key/modular.ts';
import { readPublicKey } from '../../../crypto/key/read-public-key.ts';
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
  assert.match(flawOf(key) ?? '', /^the numbers of the RSA private key do not belong together: P or Q is no prime$/);
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

test('of an RSA private key, the number that does not follow from the others is named, without its value', () => {
  const [P, Q] = [prime(512), prime(512)];
  const d = found(() => inverse(E, (P - 1n) * (Q - 1n)), 1);
  const numbers = [P * Q, E, d, P, Q, d % (P - 1n), d % (Q - 1n), inverse(Q, P) as bigint];
  const named = ['Modulus', 'PrivateExponent', 'PrivateExponent', 'Modulus', 'Modulus', 'PrimeExponentP', 'PrimeExponentQ', 'CRTCoefficient'];
  for (const [at, name] of named.entries())
    for (const pss of [false, true]) {
      const wrong = sequence(...[0n, ...numbers.map((each, index) => (index === at ? each + 2n : each))].map(unsigned));
      const key = pss ? forPssOnly(wrong) : createPrivateKey({ key: wrong, format: 'der', type: 'pkcs1' });
      assert.match(flawOf(key) ?? '', new RegExp(`^the numbers of the RSA private key do not belong together: ${name} does not follow from [A-Za-z, ]+$`));
    }
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

test('DH: a subgroup whose order does not divide P - 1, and a public key that is not in it, are refused', () => {
  const subgroup = prime(256);
  const own = found(() => {
    const each = 6n * subgroup * fromBytes(randomBytes(64)) + 1n;
    return checkPrimeSync(each) ? each : undefined;
  }, 10_000);
  const generator = found(() => {
    const each = power(fromBytes(randomBytes(32)), (own - 1n) / subgroup, own);
    return each > 1n ? each : undefined;
  });
  const inside = { prime: own, generator, subgroup, value: power(generator, 5n, own) };
  const ofOrderThree = found(() => {
    const each = power(fromBytes(randomBytes(32)), (own - 1n) / 3n, own);
    return each > 1n ? each : undefined;
  });
  assert.equal(flawOf(dhKey('PublicKey', inside)), undefined);
  assert.equal(flawOf(dhKey('PrivateKey', inside)), undefined);
  for (const value of [ofOrderThree, (ofOrderThree * inside.value) % own]) {
    assert.match(flawOf(dhKey('PublicKey', { ...inside, value })) ?? '', /DH/);
    assert.equal(flawOf(dhKey('PublicKey', { ...inside, value, subgroup: undefined })), undefined, 'without the order nobody can tell');
  }
  for (const kind of ['PublicKey', 'PrivateKey'] as const) assert.match(flawOf(dhKey(kind, { ...inside, subgroup: subgroup + 2n })) ?? '', /DH/);
});

/** SubjectPublicKeyInfo of a point (RFC 5480). */
const onCurve = (curve: string, point: Uint8Array): KeyObject =>
  createPublicKey({ key: sequence(sequence(oid('1.2.840.10045.2.1'), oid(curve)), bits(point)), format: 'der', type: 'spki' });

/** An error that OpenSSL keeps would be that of the next key. */
function readsOn(): void {
  assert.equal(createPrivateKey({ key: NEXT, format: 'der', type: 'pkcs8' }).type, 'private');
}

const NEXT = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'der', type: 'pkcs8' });

test('EC: the point at infinity is refused: everybody can make its signatures', () => {
  for (const curve of ['1.2.840.10045.3.1.7', '1.3.132.0.35', '1.3.132.0.1']) {
    const key = sequence(sequence(oid('1.2.840.10045.2.1'), oid(curve)), bits(Buffer.of(0)));
    assert.throws(() => readPublicKey({ key, format: 'der', type: 'spki' }));
    readsOn();
  }
});

test('EC: on curves with a cofactor, points of small order and those that contain one are refused', () => {
  for (const namedCurve of ['sect163k1', 'sect233r1', 'secp112r2', 'c2pnb208w1', 'c2tnb431r1'])
    assert.equal(flawOf(generateKeyPairSync('ec', { namedCurve }).publicKey), undefined, namedCurve);
  // Of order two: x is zero, and y the square root of b, which is one on this curve.
  const ofOrderTwo = Buffer.concat([Buffer.of(4), Buffer.alloc(21), Buffer.alloc(20), Buffer.of(1)]);
  assert.equal(flawOf(onCurve('1.3.132.0.1', ofOrderTwo)), 'these bytes are not a public key of ec');
  // Half of the points of the curve are outside its group, so one of many compressed ones is.
  const flaws = Array.from({ length: 64 }, () => {
    try {
      return flawOf(onCurve('1.3.132.0.1', Buffer.concat([Buffer.of(2), Buffer.of(0), randomBytes(20)]))) === undefined ? 'sound' : 'flawed';
    } catch {
      return 'no point';
    }
  });
  assert.deepEqual([...new Set(flaws)].sort(), ['flawed', 'no point', 'sound']);
});

const rawPublic = createPublicKey as unknown as (input: object) => KeyObject;

test('X25519 and X448: points of small order are refused, reduced or not; others are not', () => {
  const p255 = (1n << 255n) - 19n;
  const p448 = (1n << 448n) - (1n << 224n) - 1n;
  const ofOrderEight = [
    325606250916557431795983626356110631294008115727848805560023387167927233504n,
    39382357235489614581723060781553021112529911719440698176882885853963445705823n,
  ];
  const key = (type: string, length: number, value: bigint) =>
    rawPublic({ key: Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex').reverse(), asymmetricKeyType: type, format: 'raw-public' });
  for (const u of [0n, 1n, p255 - 1n, p255, p255 + 1n, ...ofOrderEight, 1n << 255n])
    assert.equal(flawOf(key('x25519', 32, u)), 'these bytes are not a public key of x25519', String(u));
  for (const u of [0n, 1n, p448 - 1n, p448, p448 + 1n]) assert.equal(flawOf(key('x448', 56, u)), 'these bytes are not a public key of x448', String(u));
  for (const u of [9n, p255 + 9n, (1n << 255n) + 9n]) assert.equal(flawOf(key('x25519', 32, u)), undefined);
  assert.equal(flawOf(key('x448', 56, 5n)), undefined);
});

test('no refusal leaves an error of OpenSSL behind, with which the next key could not be read', () => {
  const ofOrderTwo = Buffer.concat([Buffer.of(4), Buffer.alloc(41), Buffer.of(1)]);
  for (const bad of [
    () => onCurve('1.3.132.0.1', ofOrderTwo),
    () => rawPublic({ key: Buffer.alloc(32), asymmetricKeyType: 'x25519', format: 'raw-public' }),
    () => rawPublic({ key: Buffer.alloc(32), asymmetricKeyType: 'ed25519', format: 'raw-public' }),
  ]) {
    assert.notEqual(flawOf(bad()), undefined);
    readsOn();
  }
});

test('other keys have no such numbers', () => {
  for (const { privateKey, publicKey } of [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519'), generateKeyPairSync('x448')])
    assert.deepEqual([flawOf(privateKey), flawOf(publicKey), flawOf(createPublicKey(privateKey))], [undefined, undefined, undefined]);
});

test.run();
