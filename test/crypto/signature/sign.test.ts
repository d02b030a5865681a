// Signatures: published known answers, both inputs against each other, every refusal.
import assert from 'node:assert/strict';
import { constants, createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign as opensslSign, verify as opensslVerify } from 'node:crypto';
import { test } from 'uvu';
import type { CryptoError } from '../../../crypto/crypto-error.ts';
import { generatePair, generatePairInPool } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm, CryptographicParameters, HashingAlgorithm, RecommendedCurve } from '../../../crypto/parameters.ts';
import { isSlowSigner, sign, signInPool, verify } from '../../../crypto/signature/sign.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const data = Buffer.from('The quick brown fox jumps over the lazy dog');
const digestOf = (name: string, of: Uint8Array = data): Buffer => createHash(name).update(of).digest();

const rsa = generatePair('RSA');
const p256 = generatePair('ECDSA', { curve: 'P_256' });

function flipped(bytes: Uint8Array, at = Math.floor(bytes.length / 2)): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (other[at] as number) ^ 1;
  return other;
}

function holds(name: string, pair: { privateKey: KeyObject; publicKey: KeyObject }, parameters: CryptographicParameters, wrong: KeyObject): void {
  const signature = sign(pair.privateKey, parameters, { data });
  assert.ok(verify(pair.publicKey, parameters, { data }, signature), name);
  assert.equal(verify(pair.publicKey, parameters, { data: flipped(data) }, signature), false, `${name}: other data`);
  assert.equal(verify(pair.publicKey, parameters, { data }, flipped(signature)), false, `${name}: other signature`);
  assert.equal(verify(pair.publicKey, parameters, { data }, signature.subarray(1)), false, `${name}: short signature`);
  assert.equal(verify(pair.publicKey, parameters, { data }, new Uint8Array()), false, `${name}: no signature`);
  assert.equal(verify(wrong, parameters, { data }, signature), false, `${name}: other key`);
}

const refused = (code: string, text: RegExp) => (error: unknown) => (error as CryptoError).code === code && text.test((error as CryptoError).message);

test('RFC 8032 section 7: Ed25519 and Ed448', () => {
  const answers = [
    {
      algorithm: 'Ed25519',
      secret: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      point: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      message: '',
      signature: 'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    },
    {
      algorithm: 'Ed25519',
      secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      point: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      message: '72',
      signature: '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    },
    {
      algorithm: 'Ed448',
      secret: '6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b',
      point: '5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180',
      message: '',
      signature:
        '533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4dbb61149f05a7363268c71d95808ff2e652600',
    },
  ] as const;
  for (const { algorithm, secret, point, message, signature } of answers) {
    const privateKey = importKey('PrivateKey', 'Raw', hex(secret), algorithm);
    const publicKey = importKey('PublicKey', 'Raw', hex(point), algorithm);
    assert.equal(Buffer.from(sign(privateKey, {}, { data: hex(message) })).toString('hex'), signature);
    assert.ok(verify(publicKey, {}, { data: hex(message) }, hex(signature)));
    assert.equal(verify(publicKey, {}, { data: hex(`${message}00`) }, hex(signature)), false);
  }
});

test('RFC 6979 appendix A.2.5: P-256 verifies, by data and by digest, in both encodings', () => {
  const point = hex('04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6 7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299');
  const key = importKey('PublicKey', 'Raw', point, 'ECDSA', 'P_256');
  const r = 'EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716';
  const s = 'F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8';
  const der = hex(`3046 022100${r} 022100${s}`);
  const sample = Buffer.from('sample');
  for (const input of [{ data: sample }, { digest: digestOf('sha256', sample) }]) {
    assert.ok(verify(key, { digitalSignatureAlgorithm: 'ECDSAWithSHA256' }, input, der));
    assert.ok(verify(key, {}, input, hex(r + s), 'ieee-p1363'));
    assert.equal(verify(key, {}, input, flipped(der, 40)), false);
    assert.equal(verify(key, {}, input, hex(s + r), 'ieee-p1363'), false);
  }
});

test('every hash, with PKCS#1 v1.5, PSS and ECDSA: a digest signs as its data does', () => {
  const hashes = { SHA_1: 'sha1', SHA_224: 'sha224', SHA_256: 'sha256', SHA_384: 'sha384', SHA_512: 'sha512', SHA_512_256: 'sha512-256', SHA3_256: 'sha3-256' };
  const paddings = [{ paddingMethod: 'PKCS1V1_5' }, { paddingMethod: 'PSS' }, { paddingMethod: 'PSS', maskGeneratorHashingAlgorithm: 'SHA_1' }] as const;
  for (const [hashingAlgorithm, name] of Object.entries(hashes) as [HashingAlgorithm, string][]) {
    const digest = digestOf(name);
    for (const padding of paddings) {
      const parameters = { ...padding, hashingAlgorithm };
      const [byData, byDigest] = [sign(rsa.privateKey, parameters, { data }), sign(rsa.privateKey, parameters, { digest })];
      for (const signature of [byData, byDigest])
        for (const input of [{ data }, { digest }]) assert.ok(verify(rsa.publicKey, parameters, input, signature), JSON.stringify(parameters));
      assert.equal(verify(rsa.publicKey, parameters, { digest: flipped(digest, 0) }, byData), false);
      if (padding.paddingMethod === 'PKCS1V1_5') assert.deepEqual(byData, byDigest);
    }
    for (const encoding of ['der', 'ieee-p1363'] as const) {
      const signature = sign(p256.privateKey, { hashingAlgorithm }, { digest }, encoding);
      assert.ok(opensslVerify(name, data, { key: p256.publicKey, dsaEncoding: encoding }, signature));
      assert.ok(verify(p256.publicKey, { hashingAlgorithm }, { digest }, opensslSign(name, data, { key: p256.privateKey, dsaEncoding: encoding }), encoding));
      assert.equal(verify(p256.publicKey, { hashingAlgorithm }, { digest: flipped(digest, 0) }, signature, encoding), false);
      assert.equal(verify(p256.publicKey, { hashingAlgorithm }, { digest }, flipped(signature), encoding), false);
    }
  }
});

test('without a hash the length of a digest says it, MD5 too; other lengths are no digests', () => {
  for (const { privateKey, publicKey } of [rsa, p256]) {
    for (const name of ['md5', 'sha1', 'sha384']) assert.ok(opensslVerify(name, data, publicKey, sign(privateKey, {}, { digest: digestOf(name) })), name);
    assert.throws(() => sign(privateKey, {}, { digest: data.subarray(0, 17) }), refused('invalid', /must have 32 bytes/));
    assert.throws(() => sign(privateKey, { hashingAlgorithm: 'SHA_256' }, { digest: digestOf('md5') }), refused('invalid', /must have 32 bytes/));
  }
});

test('ECDSA over a digest on curves of many shapes, where the hash is longer and shorter than the order', () => {
  const curves: RecommendedCurve[] = ['P_192', 'P_224', 'P_384', 'P_521', 'SECP256K1', 'SECP160R1', 'BRAINPOOLP256R1', 'BRAINPOOLP320T1', 'BRAINPOOLP512R1'];
  for (const curve of curves) {
    const pair = generatePair('ECDSA', { curve });
    for (const name of ['sha1', 'sha256', 'sha512']) {
      const signature = sign(pair.privateKey, {}, { digest: digestOf(name) });
      assert.ok(opensslVerify(name, data, pair.publicKey, signature), `${curve} ${name}`);
      assert.ok(verify(pair.publicKey, {}, { digest: digestOf(name) }, opensslSign(name, data, pair.privateKey)), `${curve} ${name}`);
      assert.equal(verify(p256.publicKey, {}, { digest: digestOf(name) }, signature), false);
    }
  }
  const binary = generatePair('ECDSA', { curve: 'K_233' });
  assert.ok(opensslVerify('sha256', data, binary.publicKey, sign(binary.privateKey, {}, { digest: digestOf('sha256') })));
  assert.throws(() => verify(binary.publicKey, {}, { digest: digestOf('sha256') }, Buffer.alloc(8)), refused('unsupported', /binary curve/));
});

test('DSA, by data and by digest', () => {
  // Of a length that takes no time to make; its order is shorter than every hash but one.
  const short = () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
  const dsa = short();
  holds('DSA', dsa, { digitalSignatureAlgorithm: 'DSAWithSHA256' }, short().publicKey);
  for (const name of ['sha1', 'sha256', 'sha512']) {
    const digest = digestOf(name);
    assert.ok(opensslVerify(name, data, dsa.publicKey, sign(dsa.privateKey, {}, { digest })));
    assert.ok(verify(dsa.publicKey, {}, { digest }, opensslSign(name, data, dsa.privateKey)));
    assert.equal(verify(dsa.publicKey, {}, { digest: flipped(digest, 0) }, opensslSign(name, data, dsa.privateKey)), false);
  }
});

test('PSS: salt lengths, and what OpenSSL makes of ours', () => {
  const parameters = { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256' } as const;
  for (const saltLength of [0, 20, 32, 222]) {
    for (const input of [{ data }, { digest: digestOf('sha256') }]) {
      const signature = sign(rsa.privateKey, { ...parameters, saltLength }, input);
      assert.ok(opensslVerify('sha256', data, { key: rsa.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, signature));
      assert.ok(verify(rsa.publicKey, parameters, input, signature), 'any salt where none is named');
      assert.equal(verify(rsa.publicKey, { ...parameters, saltLength: saltLength + 1 }, input, signature), false);
    }
  }
  for (const input of [{ data }, { digest: digestOf('sha256') }])
    assert.throws(() => sign(rsa.privateKey, { ...parameters, saltLength: 223 }, input), /SaltLength: the key is too short/);
  const named = { digitalSignatureAlgorithm: 'RSASSA_PSS', hashingAlgorithm: 'SHA_384', trailerField: 1 } as const;
  assert.ok(verify(rsa.publicKey, { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_384' }, { data }, sign(rsa.privateKey, named, { data })));
  assert.equal(verify(rsa.publicKey, { ...named, maskGeneratorHashingAlgorithm: 'SHA_1' }, { data }, sign(rsa.privateKey, named, { data })), false);
});

test('post-quantum signatures have the sizes of FIPS 204 and 205, and hold', () => {
  const sizes: Partial<Record<CryptographicAlgorithm, number>> = {
    MLDSA_44: 2420,
    MLDSA_65: 3309,
    MLDSA_87: 4627,
    SLHDSA_SHA2_128f: 17088,
    SLHDSA_SHAKE_128f: 17088,
    SLHDSA_SHA2_192f: 35664,
    SLHDSA_SHA2_256f: 49856,
  };
  for (const [algorithm, size] of Object.entries(sizes) as [CryptographicAlgorithm, number][]) {
    const pair = generatePair(algorithm);
    assert.equal(sign(pair.privateKey, {}, { data }).length, size);
    holds(algorithm, pair, {}, generatePair(algorithm).publicKey);
    assert.throws(() => sign(pair.privateKey, {}, { digest: digestOf('sha256') }), refused('unsupported', /whole messages/));
  }
});

test('keys of NIST ACVP, SLH-DSA-keyGen-FIPS205 cases 21 and 31: the private one signs for the public one', () => {
  const cases = [
    [
      'SLHDSA_SHA2_128f',
      'E2BDAA37C8CFFE5E8D5676C23267890C31441758F573285881CDC82AB911DD84',
      '72DC8D26DF6EF708F4C41AF9FD04B65A8927927229891D47A60D67ECEF3D2C17',
    ],
    [
      'SLHDSA_SHAKE_128f',
      'BBC74306F75DC2DAF7372B3C9841A4D6852C17B459F1692B8E9A1A0DACE5BA26',
      '380C99304A0DDD32F344B95144E1FDEF60BBC2340E08770FB41A80A76CB08E34',
    ],
  ] as const;
  for (const [algorithm, secret, point] of cases) {
    // The public key is the second half of the private one; that its root is right shows in the signature.
    const privateKey = importKey('PrivateKey', 'Raw', hex(secret + point), algorithm);
    assert.ok(verify(importKey('PublicKey', 'Raw', hex(point), algorithm), {}, { data }, sign(privateKey, {}, { data })), algorithm);
  }
});

test('the defaults are PKCS#1 v1.5 and SHA-256', () => {
  assert.ok(opensslVerify('sha256', data, rsa.publicKey, sign(rsa.privateKey, {}, { data })));
  assert.ok(opensslVerify('sha256', data, p256.publicKey, sign(p256.privateKey, {}, { data })));
  holds('RSA', rsa, {}, generatePair('RSA').publicKey);
  holds('ECDSA', p256, {}, generatePair('ECDSA', { curve: 'P_256' }).publicKey);
  holds('Ed25519', generatePair('Ed25519'), {}, generatePair('Ed25519').publicKey);
});

test('malformed ECDSA signatures are invalid, not errors', () => {
  const digest = digestOf('sha256');
  const good = Buffer.from(sign(p256.privateKey, {}, { data }));
  const bad = [
    Buffer.from('3000', 'hex'),
    Buffer.from('3006020100020100', 'hex'),
    Buffer.concat([good, Buffer.of(0)]),
    good.subarray(0, -1),
    Buffer.from('30080202000102020001', 'hex'),
  ];
  for (const signature of bad) {
    assert.equal(verify(p256.publicKey, {}, { data }, signature), false);
    assert.equal(verify(p256.publicKey, {}, { digest }, signature), false);
  }
});

test('RSA: the padding PSS with an algorithm that names the hash only', () => {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const data = Buffer.from('data');
  const signature = sign(key, { digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption', paddingMethod: 'PSS' }, { data });
  assert.ok(verify(createPublicKey(key), { digitalSignatureAlgorithm: 'RSASSA_PSS', hashingAlgorithm: 'SHA_256' }, { data }, signature));
});

test('what is said to be a signature of another algorithm than the key is none of the key', () => {
  const signature = sign(p256.privateKey, {}, { data });
  assert.ok(verify(p256.publicKey, { cryptographicAlgorithm: 'ECDSA', digitalSignatureAlgorithm: 'ECDSAWithSHA256' }, { data }, signature));
  const others: readonly CryptographicParameters[] = [
    { cryptographicAlgorithm: 'RSA', paddingMethod: 'PSS', hashingAlgorithm: 'SHA_1' },
    { cryptographicAlgorithm: 'AES' },
    { digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption' },
    { digitalSignatureAlgorithm: 'DSAWithSHA256' },
  ];
  for (const each of others) assert.equal(verify(p256.publicKey, each, { data }, signature), false);
  assert.equal(verify(rsa.publicKey, { digitalSignatureAlgorithm: 'ECDSAWithSHA256' }, { data }, sign(rsa.privateKey, {}, { data })), false);
  assert.throws(() => verify(p256.publicKey, { cryptographicAlgorithm: 'RSA' }, {}, signature), refused('missing_data', /Data/));
});

test('refusals', () => {
  const key = rsa.privateKey;
  assert.throws(() => sign(rsa.publicKey, {}, { data }), refused('wrong_key', /private/));
  assert.throws(() => sign(key, {}, {}), refused('missing_data', /Data/));
  assert.throws(() => sign(key, {}, { data, digest: data }), refused('invalid', /not both/));
  assert.throws(() => sign(key, { hashingAlgorithm: 'SHA_256' }, { digest: Buffer.alloc(20) }), refused('invalid', /DigestedData/));
  assert.throws(() => sign(key, { digitalSignatureAlgorithm: 'ECDSAWithSHA256' }, { data }), refused('bad_parameters', /ECDSA/));
  assert.throws(() => sign(key, { cryptographicAlgorithm: 'DSA' }, { data }), refused('bad_parameters', /RSA/));
  assert.throws(
    () => sign(key, { digitalSignatureAlgorithm: 'SHA_1WithRSAEncryption', hashingAlgorithm: 'SHA_256' }, { data }),
    refused('bad_parameters', /SHA_1/),
  );
  assert.throws(() => sign(key, { paddingMethod: 'OAEP' }, { data }), refused('unsupported', /OAEP/));
  assert.throws(() => sign(key, { hashingAlgorithm: 'Tiger' }, { data }), refused('unsupported', /Tiger/));
  assert.throws(() => sign(key, { paddingMethod: 'PSS', trailerField: 2 }, { data }), refused('unsupported', /Trailer/));
  assert.throws(() => sign(generatePair('ECDH', { curve: 'CURVE25519' }).privateKey, {}, { data }), refused('unsupported', /cannot sign/));
  assert.throws(() => sign(generatePair('Ed25519').privateKey, {}, { digest: digestOf('sha512') }), refused('unsupported', /whole/));
  assert.throws(() => sign(p256.privateKey, {}, { digest: Buffer.alloc(32) }), refused('invalid', /zero/));
});

test('in the pool: pairs and signatures as on the thread itself, and what is refused there is refused here', async () => {
  const { privateKey, publicKey } = await generatePairInPool('SLHDSA_SHA2_128f');
  assert.deepEqual([isSlowSigner(privateKey), isSlowSigner(p256.privateKey)], [true, false]);
  assert.ok(verify(publicKey, {}, { data }, await signInPool(privateKey, {}, data)));
  await assert.rejects(signInPool(publicKey, {}, data), refused('wrong_key', /private/));
  await assert.rejects(generatePairInPool('RSA', { length: 1024 }), refused('invalid', /2048/));
});

test.run();
