// What keys can do, each with an answer that somebody else has published or node:crypto gives: the rows of the key suite.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync, type KeyObject, verify } from 'node:crypto';
import type { CipherChoice, Key } from '../../../actors/kmip/object/key.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { hex, utf8 } from '../../fakes/keys.ts';

type Symmetric = (typeof CIPHERS)[number]['mechanism'] | (typeof WRAPS)[number]['mechanism'] | (typeof MACS)[number]['mechanism'] | 'HKDF';
type OfPairs = keyof typeof SIGNATURES | keyof typeof ENCRYPTIONS | keyof typeof AGREEMENTS;
/** Names of what a place of keys may be able to do. */
export type Mechanism = Symmetric | OfPairs;

const AES_128 = '2b7e151628aed2a6abf7158809cf4f3c';
const BLOCK = '6bc1bee22e409f96e93d7e117393172a';

/** NIST SP 800-38A sections F.2.1 and F.5.1, and test case 4 of the GCM specification. */
export const CIPHERS = [
  {
    mechanism: 'AES-GCM',
    parameters: { blockCipherMode: 'GCM' },
    ...{ key: 'feffe9928665731c6d6a8f9467308308', iv: 'cafebabefacedbaddecaf888', aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2' },
    data: 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    encrypted: '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091',
    tag: '5bc94fbc3221a5db94fae95ae7121a47',
  },
  {
    mechanism: 'AES-CBC',
    parameters: { blockCipherMode: 'CBC', paddingMethod: 'None' },
    ...{ key: AES_128, iv: '000102030405060708090a0b0c0d0e0f', data: BLOCK, encrypted: '7649abac8119b246cee98e9b12e9197d' },
  },
  {
    mechanism: 'AES-CTR',
    parameters: { blockCipherMode: 'CTR' },
    ...{ key: AES_128, iv: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', data: BLOCK, encrypted: '874d6191b620e3261bef6864990db6ce' },
  },
] as const satisfies readonly CipherRow[];

export interface CipherRow {
  readonly mechanism: string;
  readonly parameters: CryptographicParameters;
  readonly key: string;
  readonly iv: string;
  readonly aad?: string;
  readonly data: string;
  readonly encrypted: string;
  readonly tag?: string;
}

export const choiceOf = ({ parameters }: CipherRow): CipherChoice => ({ algorithm: 'AES', parameters });

/** RFC 3394 section 4.1, RFC 5649 section 6. */
export const WRAPS = [
  {
    mechanism: 'AES-KW',
    parameters: { blockCipherMode: 'NISTKeyWrap' },
    key: '000102030405060708090a0b0c0d0e0f',
    material: '00112233445566778899aabbccddeeff',
    wrapped: '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5',
  },
  {
    mechanism: 'AES-KWP',
    parameters: { blockCipherMode: 'AESKeyWrapPadding' },
    key: '5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8',
    material: 'c37b7e6492584340bed12207808941155068f738',
    wrapped: '138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a',
  },
] as const satisfies readonly { readonly parameters: CryptographicParameters; readonly [name: string]: unknown }[];

/** RFC 4231 section 4.3, RFC 4493 section 4. */
export const MACS = [
  {
    mechanism: 'HMAC',
    algorithm: 'HMAC_SHA256',
    parameters: {},
    key: Buffer.from('Jefe').toString('hex'),
    data: Buffer.from('what do ya want for nothing?').toString('hex'),
    mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  { mechanism: 'CMAC', algorithm: 'AES', parameters: { blockCipherMode: 'CMAC' }, key: AES_128, data: BLOCK, mac: '070a16b46b4d4144f79bdd9dd04a287c' },
] as const satisfies readonly { readonly algorithm: CryptographicAlgorithm; readonly parameters: CryptographicParameters; readonly [name: string]: unknown }[];

const counted = (from: number, to: number): string => Buffer.from(Array.from({ length: to - from + 1 }, (_, at) => from + at)).toString('hex');

const INFO = hex(counted(0xb0, 0xff)) as Buffer;
const KEYING = counted(0x00, 0x4f);

/** RFC 5869 appendix A.2, whose key is as long as that of any token, and the same without salt by OpenSSL. */
export const HKDF = [
  {
    key: KEYING,
    derivation: { method: 'HKDF', parameters: { hashingAlgorithm: 'SHA_256' }, salt: hex(counted(0x60, 0xaf)), data: [INFO], length: 82 },
    derived:
      'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
  },
  {
    key: KEYING,
    derivation: { method: 'HKDF', parameters: { hashingAlgorithm: 'SHA_512' }, data: [INFO], length: 100 },
    derived: Buffer.from(hkdfSync('sha512', hex(KEYING) as Buffer, Buffer.alloc(0), INFO, 100)).toString('hex'),
  },
] as const;

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const X25519 = generateKeyPairSync('x25519');
/** RFC 8032 section 7.1, test 2. */
const ED25519_PRIVATE = createPrivateKey({
  key: hex('302e020100300506032b657004220420 4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb') as Buffer,
  ...{ format: 'der', type: 'pkcs8' },
});
const ED25519 = { privateKey: ED25519_PRIVATE, publicKey: createPublicKey(ED25519_PRIVATE) };

interface OfPair {
  readonly algorithm: CryptographicAlgorithm;
  readonly pair: KeyPair;
}

/** `node` says what node:crypto is told to verify the same. */
export const SIGNATURES = {
  'RSA-PKCS1': { algorithm: 'RSA', pair: RSA, parameters: { digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption' }, hash: 'sha256', node: {} },
  'RSA-PSS': {
    ...{ algorithm: 'RSA', pair: RSA, hash: 'sha256' },
    parameters: { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256' },
    node: { padding: 6, saltLength: 32 },
  },
  ECDSA: { algorithm: 'EC', pair: P256, parameters: { digitalSignatureAlgorithm: 'ECDSAWithSHA256' }, hash: 'sha256', node: {} },
  EdDSA: { algorithm: 'Ed25519', pair: ED25519, parameters: {}, hash: undefined, node: {} },
} as const satisfies Record<string, OfPair & { parameters: CryptographicParameters; hash: string | undefined; node: object }>;

export const ENCRYPTIONS = {
  'RSA-OAEP': { algorithm: 'RSA', pair: RSA, parameters: { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_256' } },
  'RSA-PKCS1 encryption': { algorithm: 'RSA', pair: RSA, parameters: { paddingMethod: 'PKCS1V1_5' } },
  ECIES: { algorithm: 'EC', pair: P256, parameters: {} },
} as const satisfies Record<string, OfPair & { parameters: CryptographicParameters }>;

export const AGREEMENTS = {
  ECDH: { algorithm: 'EC', pair: P256, peer: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  X25519: { algorithm: 'ECDH', pair: X25519, peer: generateKeyPairSync('x25519') },
} as const satisfies Record<string, OfPair & { peer: KeyPair }>;

/** All that the suite asks for. */
export const MECHANISMS: ReadonlySet<Mechanism> = new Set<Mechanism>([
  ...[...CIPHERS, ...WRAPS, ...MACS].map(({ mechanism }) => mechanism),
  ...Object.keys({ ...SIGNATURES, ...ENCRYPTIONS, ...AGREEMENTS, HKDF }),
] as Mechanism[]);

export const MESSAGE = utf8('a message of every key');

/** Holds that node:crypto takes the signature as one of the public key that the place tells. */
export async function verifiesElsewhere({ hash, node }: (typeof SIGNATURES)[keyof typeof SIGNATURES], publicKey: Key, signature: Uint8Array): Promise<void> {
  assert.ok(verify(hash, MESSAGE, { key: await publicKey.publicKey(), ...node }, signature));
}

/** The secret as the other side has it. */
export async function agreedElsewhere(peer: KeyPair, publicKey: Key): Promise<Uint8Array> {
  return diffieHellman({ privateKey: peer.privateKey, publicKey: await publicKey.publicKey() });
}
