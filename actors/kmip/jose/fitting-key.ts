// Checks whether a key fits an algorithm: its type, length and purpose.
import type { ContentEncryption } from '../../../jose/content-encryption.ts';
import type { KeyManagement } from '../../../jose/key-management.ts';
import { RSA_MODULUS_BITS } from '../../../jose/rsa.ts';
import type { SignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { codeOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { KeyFacts } from '../object/key.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { OperationContext } from '../operation-context.ts';
import { JoseProblem } from './problem.ts';
import type { Fits } from './use.ts';

const { BlockCipherMode } = ENUM;

/** @param member of the request that the key does not go with */
export const unfit = (member: 'alg' | 'enc' = 'alg'): JoseProblem => new JoseProblem('crypto_failure', `the key does not fit ${member}`);

const fitting = new WeakMap<ManagedObject, ContentEncryption>();

/** Checks a key for `dir`. @throws Problem crypto_failure, Refusal */
export function fitsContent(enc: ContentEncryption): Fits {
  return (key, object) => {
    if (fitting.get(object) === enc) return;
    requireMode(object, enc.hash === undefined ? BlockCipherMode.GCM : BlockCipherMode.CBC, 'enc');
    requireAes(key, enc.keyLength, 'enc');
    fitting.set(object, enc);
  };
}

/** Checks a key for AES key wrap. @param length in bytes @throws Problem crypto_failure, Refusal */
export function fitsKeyWrap(length: number): Fits {
  return (key, object) => {
    requireMode(object, BlockCipherMode.NISTKeyWrap, 'alg');
    requireAes(key, length, 'alg');
  };
}

function requireAes({ algorithm, length }: KeyFacts, bytes: number, asked: 'alg' | 'enc'): void {
  if (length !== bytes * 8 || (algorithm !== undefined && algorithm !== 'AES')) throw unfit(asked);
}

function requireMode(object: ManagedObject, mode: number, asked: 'alg' | 'enc'): void {
  const isFor = (parameters: Structure) => {
    const own = codeOf(parameters, TAG.BlockCipherMode);
    return own === undefined ? undefined : own === mode;
  };
  requireMadeFor(object, isFor, asked);
}

/** A key made for one signature algorithm neither signs nor verifies with another. @throws Problem crypto_failure */
export function requireSignature(object: ManagedObject, { purpose }: SignatureAlgorithm, ctx: OperationContext): void {
  if (purpose.parameters && !isForMany(ctx)) requireMadeFor(object, naming(purpose.parameters, TAG.DigitalSignatureAlgorithm));
}

/** Clients of the compact spelling create one RSA key, with any `alg`, for all that it can do. */
const isForMany = ({ server }: OperationContext): boolean => server.args.jsonNames === 'compact';

/** Parameters name the algorithm by this member, and the hash that it goes with. */
function naming(wanted: Structure, by: number): (own: Structure) => boolean | undefined {
  return (own) => {
    const [named, hash] = [codeOf(own, by), codeOf(own, TAG.HashingAlgorithm)];
    if (named === undefined) return undefined;
    return named === codeOf(wanted, by) && (hash === undefined || hash === codeOf(wanted, TAG.HashingAlgorithm));
  };
}

/**
 * A key made for one algorithm must not be used with another (RFC 8725 section 3.1). By KMIP it may have been made for several.
 * @param isFor undefined for parameters that say nothing about it
 */
function requireMadeFor({ attributes }: ManagedObject, isFor: (parameters: Structure) => boolean | undefined, asked: 'alg' | 'enc' = 'alg'): void {
  let isOther = false;
  for (const { node } of attributes.all(TAG.CryptographicParameters)) {
    const own = node.type === TYPE.Structure ? isFor(node) : undefined;
    if (own === true) return;
    isOther ||= own === false;
  }
  if (isOther) throw unfit(asked);
}

/** Checks an HMAC key, which must be at least as long as the hash (RFC 7518 section 3.2). @param bytes of the hash @throws Problem crypto_failure, Refusal */
export function requireMacKey({ algorithm, length }: KeyFacts, own: string, bytes: number): void {
  if (length < bytes * 8 || (algorithm !== undefined && algorithm !== own)) throw unfit();
}

/** Checks a key for RSA-OAEP. @throws Problem crypto_failure, Refusal */
export function fitsOaep({ purpose }: KeyManagement, ctx: OperationContext): Fits {
  return (key, object) => {
    if (!isLongRsa(key)) throw unfit();
    if (purpose?.parameters && !isForMany(ctx)) requireMadeFor(object, naming(purpose.parameters, TAG.PaddingMethod));
  };
}

export function isLongRsa({ algorithm, length, isForPssOnly }: KeyFacts): boolean {
  return algorithm === 'RSA' && !isForPssOnly && length >= RSA_MODULUS_BITS.min;
}
