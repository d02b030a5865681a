// Derives keys by the methods of KMIP, except key agreement (specification 2.1 sections 6.1.14, 7.12 and 11.14).
import { createHmac, hkdfSync, pbkdf2 as opensslPbkdf2, pbkdf2Sync } from 'node:crypto';
import { promisify } from 'node:util';
import { cipherFor } from '../cipher/cipher.ts';
import { CryptoError } from '../crypto-error.ts';
import { hash, hashBytes, nodeHash } from '../hash.ts';
import { keyBytes, keyObject, type SecretKey } from '../key/secret-key.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../parameters.ts';
import { mac, macAlgorithm, macBytes } from '../signature/mac.ts';
import { requireOn } from '../switched-off.ts';
import { kbkdf } from './kbkdf.ts';

/** The values of KMIP's enumeration of the same name. */
export type DerivationMethod =
  | 'PBKDF2'
  | 'HASH'
  | 'HMAC'
  | 'ENCRYPT'
  | 'NIST800_108_C'
  | 'NIST800_108_F'
  | 'NIST800_108_DPI'
  | 'AsymmetricKey'
  | 'AWSSignatureVersion4'
  | 'HKDF';

export interface DerivationInput {
  /** The derivation key or, for PBKDF2, the password. Only HASH works without it. */
  readonly key?: SecretKey | undefined;
  /** The algorithm of the derivation key; undefined for a secret without an algorithm. */
  readonly keyAlgorithm?: CryptographicAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
  readonly iv?: Uint8Array | undefined;
  /** All values of DerivationData: date, region and service for AWSSignatureVersion4, otherwise at most one. */
  readonly data: readonly Uint8Array[];
  readonly salt?: Uint8Array | undefined;
  readonly iterationCount?: number | undefined;
  /** The number of bytes to derive. */
  readonly length: number;
}

const DEFAULT_ITERATIONS = 600_000;
/** The limit for iterations times blocks of output. It bounds the cost of a request to three seconds of a thread with the slowest hash. */
const MAX_ITERATIONS = 3_000_000;
const MAX_BYTES = 65_536;
/** OpenSSL's limit for the info of HKDF, in bytes. */
const MAX_INFO = 1024;

const METHOD: Partial<Record<DerivationMethod, (input: DerivationInput) => Uint8Array>> = {
  PBKDF2: pbkdf2,
  HASH: deriveByHash,
  HMAC: hmac,
  ENCRYPT: deriveByEncryption,
  NIST800_108_C: (input) => pseudorandom('counter', input),
  NIST800_108_F: (input) => pseudorandom('feedback', input),
  NIST800_108_DPI: (input) => pseudorandom('double pipeline', input),
  AWSSignatureVersion4: awsSignature,
  HKDF: hkdf,
};

/**
 * Derives `length` bytes: if the method yields more, the first ones.
 * @throws CryptoError invalid if an input is missing, too long or too costly; failed if the method yields less; unsupported; unsupported_derivation
 */
export function derive(method: DerivationMethod, input: DerivationInput): Uint8Array {
  const derived = METHOD[method];
  if (derived === undefined) throw new CryptoError('unsupported_derivation', `the derivation method ${method} is not supported`);
  requireOn(`KDF-${method}`);
  requireLength(input);
  return leading(derived(input), input.length);
}

const pbkdf2InPool = promisify(opensslPbkdf2);

/** Like `derive` with PBKDF2, but on a thread of the pool, because it may take seconds. */
export async function derivePbkdf2(input: DerivationInput): Promise<Uint8Array> {
  requireOn('KDF-PBKDF2');
  requireLength(input);
  return pbkdf2InPool(...pbkdf2Arguments(input));
}

function requireLength({ length }: DerivationInput): void {
  if (!Number.isInteger(length) || length < 1 || length > MAX_BYTES) throw invalid(`the length to derive must be 1 to ${MAX_BYTES} bytes`);
}

function pbkdf2(input: DerivationInput): Uint8Array {
  return pbkdf2Sync(...pbkdf2Arguments(input));
}

/** The salt is required; the default hash is SHA-256. */
function pbkdf2Arguments(input: DerivationInput): Parameters<typeof pbkdf2Sync> {
  const { salt, iterationCount = DEFAULT_ITERATIONS, length, parameters } = input;
  if (salt === undefined || salt.length === 0) throw invalid('PBKDF2 needs a Salt');
  if (!Number.isInteger(iterationCount) || iterationCount < 1) throw invalid('the iteration count must be at least 1');
  const name = parameters.hashingAlgorithm ?? 'SHA_256';
  if (iterationCount * Math.ceil(length / hashBytes(name)) > MAX_ITERATIONS)
    throw invalid(`the iteration count is too high: count times blocks of output must be at most ${MAX_ITERATIONS}`);
  return [keyBytes(keyOf(input)), salt, iterationCount, length, nodeHash(name)];
}

/** Hashes the derivation key or the derivation data. */
function deriveByHash({ key, data, parameters: { hashingAlgorithm } }: DerivationInput): Uint8Array {
  if (hashingAlgorithm === undefined) throw invalid('HASH needs a HashingAlgorithm');
  if ((key === undefined) === (data.length === 0)) throw invalid('HASH takes exactly one of a derivation key and derivation data');
  return hash(hashingAlgorithm, key === undefined ? single(data) : keyBytes(key));
}

/** Uses the algorithm of the key if it is an HMAC algorithm, otherwise HMAC with the hashing algorithm, by default SHA-256. */
function hmac(input: DerivationInput): Uint8Array {
  const own = input.keyAlgorithm?.startsWith('HMAC_') ?? false;
  const algorithm = macAlgorithm(own ? input.keyAlgorithm : undefined, own ? {} : { hashingAlgorithm: input.parameters.hashingAlgorithm ?? 'SHA_256' });
  return mac(algorithm, keyOf(input), single(input.data));
}

/** The default IV is all zeros in CBC, CFB and OFB; other modes use the IV as a nonce, so it has no default. */
function deriveByEncryption(input: DerivationInput): Uint8Array {
  const { parameters, keyAlgorithm } = input;
  const key = keyOf(input);
  const algorithm = parameters.cryptographicAlgorithm ?? keyAlgorithm;
  if (algorithm === undefined) throw invalid('ENCRYPT needs a CryptographicAlgorithm');
  const mode = parameters.blockCipherMode;
  if (mode === undefined && !algorithm.startsWith('ChaCha20')) throw invalid('ENCRYPT needs a BlockCipherMode');
  const cipher = cipherFor(algorithm, parameters, keyBytes(key).length);
  const zeros = mode === 'CBC' || mode === 'CFB' || mode === 'OFB' ? new Uint8Array(cipher.ivBytes ?? 0) : undefined;
  return cipher.encrypt(key, { iv: input.iv ?? zeros, data: single(input.data) }).data;
}

/** The PRF is CMAC if the mode is CMAC, otherwise HMAC, by default with SHA-256. */
function pseudorandom(mode: Parameters<typeof kbkdf>[0], input: DerivationInput): Uint8Array {
  const { keyAlgorithm, parameters, length, iv } = input;
  const { cryptographicAlgorithm = keyAlgorithm, blockCipherMode, hashingAlgorithm } = parameters;
  const own = blockCipherMode === 'CMAC' || (cryptographicAlgorithm?.startsWith('HMAC_') ?? false);
  const algorithm = own ? macAlgorithm(keyAlgorithm, parameters) : macAlgorithm(undefined, { hashingAlgorithm: hashingAlgorithm ?? 'SHA_256' });
  const key = keyObject(keyOf(input));
  return kbkdf(mode, { prf: (message) => mac(algorithm, key, message), prfBytes: macBytes(algorithm), fixed: single(input.data), iv, length });
}

/** The signing key: HMAC-SHA256 of date, region, service and `aws4_request`; each result is the key for the next HMAC. */
function awsSignature(input: DerivationInput): Uint8Array {
  if (input.data.length !== 3) throw invalid('AWSSignatureVersion4 needs three values of DerivationData: date, region and service');
  const first: Uint8Array = Buffer.concat([Buffer.from('AWS4'), keyBytes(keyOf(input))]);
  return [...input.data, Buffer.from('aws4_request')].reduce((key, part) => createHmac('sha256', keyObject(key)).update(part).digest(), first);
}

/** RFC 5869: the key is the input keying material, and the derivation data is the info. */
function hkdf(input: DerivationInput): Uint8Array {
  const { salt = new Uint8Array(), parameters, length, data } = input;
  const name = parameters.hashingAlgorithm ?? 'SHA_256';
  const info = data.length === 0 ? new Uint8Array() : single(data);
  if (info.length > MAX_INFO) throw invalid(`DerivationData for HKDF must have at most ${MAX_INFO} bytes`);
  if (length > 255 * hashBytes(name)) throw tooLong(255 * hashBytes(name));
  return new Uint8Array(hkdfSync(nodeHash(name), keyObject(keyOf(input)), salt, info, length));
}

function keyOf({ key }: DerivationInput): SecretKey {
  if (key === undefined) throw invalid('this derivation method needs a derivation key');
  return key;
}

function single(data: readonly Uint8Array[]): Uint8Array {
  const [first, ...more] = data;
  if (first === undefined || more.length > 0) throw invalid('this derivation method needs exactly one DerivationData');
  return first;
}

function leading(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length < length) throw tooLong(bytes.length);
  return bytes.subarray(0, length);
}

function tooLong(available: number): CryptoError {
  return new CryptoError('failed', `with these inputs the derivation method yields at most ${available} bytes`);
}

function invalid(message: string): CryptoError {
  return new CryptoError('invalid', message);
}
