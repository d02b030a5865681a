// The kinds of keys that `gatehouse key create` makes, and the algorithms with which each kind works if no other is named.
import { enumeration, integer, type Members, type Node, structure } from '../../client/kmip.ts';

/** Bits of the KMIP usage mask (KMIP 2.1, section 11.14). */
const USE = { sign: 1, verify: 2, encrypt: 4, decrypt: 8, wrap: 16, unwrap: 32, macGenerate: 128, macVerify: 256, keyAgreement: 2_048 } as const;
const CIPHER = USE.encrypt | USE.decrypt | USE.wrap | USE.unwrap;
const MAC = USE.macGenerate | USE.macVerify;

interface Secret {
  readonly algorithm: string;
  readonly bits: number;
  readonly mask: number;
}

interface Pair {
  readonly algorithm: string;
  readonly bits?: number;
  readonly curve?: string;
  readonly privateMask: number;
  readonly publicMask: number;
}

const SIGNING = { privateMask: USE.sign, publicMask: USE.verify };
const RSA = { algorithm: 'RSA', privateMask: USE.sign | USE.decrypt | USE.unwrap, publicMask: USE.verify | USE.encrypt | USE.wrap };

const SECRETS: Readonly<Record<string, Secret>> = {
  'aes-128': { algorithm: 'AES', bits: 128, mask: CIPHER },
  'aes-192': { algorithm: 'AES', bits: 192, mask: CIPHER },
  'aes-256': { algorithm: 'AES', bits: 256, mask: CIPHER },
  'hmac-256': { algorithm: 'HMAC_SHA256', bits: 256, mask: MAC },
  'hmac-384': { algorithm: 'HMAC_SHA384', bits: 384, mask: MAC },
  'hmac-512': { algorithm: 'HMAC_SHA512', bits: 512, mask: MAC },
};

const PAIRS: Readonly<Record<string, Pair>> = {
  'rsa-2048': { ...RSA, bits: 2_048 },
  'rsa-3072': { ...RSA, bits: 3_072 },
  'rsa-4096': { ...RSA, bits: 4_096 },
  'ec-p256': { algorithm: 'EC', curve: 'P_256', ...SIGNING },
  'ec-p384': { algorithm: 'EC', curve: 'P_384', ...SIGNING },
  'ec-p521': { algorithm: 'EC', curve: 'P_521', ...SIGNING },
  ed25519: { algorithm: 'Ed25519', ...SIGNING },
};

export const KINDS: readonly string[] = [...Object.keys(SECRETS), ...Object.keys(PAIRS)];

/** @param common attributes of every new key: its name and dates @param own of a secret key, or of the private one of a pair: identifier, tags */
export function creation(kind: string, common: readonly Node[], own: readonly Node[]): { operation: 'Create' | 'CreateKeyPair'; members: Node[] } {
  const secret = SECRETS[kind];
  if (secret) {
    const attributes = [algorithm(secret.algorithm), integer('CryptographicLength', secret.bits), integer('CryptographicUsageMask', secret.mask)];
    return { operation: 'Create', members: [enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...attributes, ...common, ...own)] };
  }
  const { algorithm: named, bits, curve, privateMask, publicMask } = PAIRS[kind] as Pair;
  const size = bits === undefined ? [] : [integer('CryptographicLength', bits)];
  const domain = curve === undefined ? [] : [structure('CryptographicDomainParameters', enumeration('RecommendedCurve', curve))];
  return {
    operation: 'CreateKeyPair',
    members: [
      structure('CommonAttributes', algorithm(named), ...size, ...domain, ...common),
      structure('PrivateKeyAttributes', integer('CryptographicUsageMask', privateMask), ...own),
      structure('PublicKeyAttributes', integer('CryptographicUsageMask', publicMask)),
    ],
  };
}

const algorithm = (name: string): Node => enumeration('CryptographicAlgorithm', name);

/** What the attributes of a key say of its kind: the algorithm of KMIP, the length in bits, its curve, and the CryptographicParameters of what it was made for. */
export interface Sort {
  readonly algorithm: string;
  readonly bits: number;
  readonly curve?: string | undefined;
  readonly parameters: Members;
}

/** Curves of one length differ: secp256k1 has an algorithm of its own (RFC 8812), and others have none. */
const BY_CURVE: Readonly<Record<string, string>> = {
  ...{ P256: 'ES256', P384: 'ES384', P521: 'ES512', SECP256K1: 'ES256K' },
  ...{ CURVEED25519: 'Ed25519', CURVEED448: 'Ed448' },
};

/** A key that was made for one algorithm takes no other. */
export function signatureAlgorithm({ algorithm: name, curve, parameters }: Sort): string | undefined {
  if (name === 'RSA') return `${/WithRSA/.test(named(parameters['DigitalSignatureAlgorithm'])) ? 'RS' : 'PS'}${hashOf(parameters) ?? 256}`;
  if (name === 'EC' || name === 'ECDSA') return BY_CURVE[named(curve)];
  const mlDsa = /^MLDSA(44|65|87)$/.exec(named(name))?.[1];
  return mlDsa === undefined ? /^Ed(25519|448)$/.exec(name)?.[0] : `ML-DSA-${mlDsa}`;
}

/** Names come with or without underscores. */
const named = (value: unknown): string => String(value ?? '').replaceAll('_', '');

function hashOf({ DigitalSignatureAlgorithm, HashingAlgorithm }: Members): string | undefined {
  return /SHA(1|256|384|512)(?!\d)/.exec(`${named(HashingAlgorithm)} ${named(DigitalSignatureAlgorithm)}`)?.[1];
}

export function macAlgorithm({ algorithm: name }: Sort): string | undefined {
  const bits = /^HMAC_?SHA_?(256|384|512)$/i.exec(name)?.[1];
  return bits === undefined ? undefined : `HS${bits}`;
}

/** `alg` and `enc` of JOSE (RFC 7518). */
export function encryptionAlgorithm({ algorithm: name, bits, parameters }: Sort): { alg: string; enc: string } | undefined {
  const mode = named(parameters['BlockCipherMode']);
  if (name === 'AES' && mode === 'NISTKeyWrap') return { alg: `A${bits}KW`, enc: 'A256GCM' };
  if (name === 'AES') return { alg: 'dir', enc: mode === 'CBC' && bits >= 256 ? `A${bits / 2}CBC-HS${bits}` : `A${bits}GCM` };
  if (name === 'RSA') return { alg: oaep(hashOf(parameters) ?? '256'), enc: 'A256GCM' };
  return /^(EC|ECDH|X25519|X448)$/.test(name) ? { alg: 'ECDH-ES', enc: 'A256GCM' } : undefined;
}

const oaep = (hash: string): string => (hash === '1' ? 'RSA-OAEP' : `RSA-OAEP-${hash}`);
