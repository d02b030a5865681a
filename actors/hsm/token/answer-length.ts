// The lengths that the answers of a token have by their mechanisms: an answer of another length is not believed, so it is neither stored nor given out.
import { HASH_BYTES, type TokenHash } from '../../../kmip/token-hash.ts';
import type { TokenMechanism } from '../api.ts';
import { HASH } from './mechanism.ts';

/** The library says that it has done what was asked, but what it gives cannot be that. The message says why. */
export class AnswerMalformed extends Error {}

/** The least and the most bytes. */
type Lengths = readonly [least: number, most: number];
type Direction = 'encrypt' | 'decrypt' | 'sign';

const BLOCK_BYTES = 16;
/** The padding of PKCS#1 v1.5 and its borders (RFC 8017 section 7.2.1). */
const PKCS1_BYTES = 11;
const blocks = (bytes: number, size: number): number => Math.ceil(bytes / size) * size;
const exactly = (bytes: number): Lengths => [bytes, bytes];

/** By the name of the mechanism. */
const HMAC_BYTES = new Map(Object.entries(HASH).map(([hash, name]) => [`${name}_HMAC`, HASH_BYTES[hash as TokenHash]]));

/** @param bytes of the data, with the tag at their end @returns undefined for signatures, whose lengths are those of their keys, and for what is not known here */
function lengthsOf(what: Direction, { name, parameter }: TokenMechanism, bytes: number): Lengths | undefined {
  const isSealing = what === 'encrypt';
  const tagBytes = parameter?.kind === 'gcm' ? parameter.tagBits / 8 : 0;
  const hmacBytes = HMAC_BYTES.get(name);
  if (hmacBytes !== undefined) return exactly(hmacBytes);
  switch (name) {
    case 'CKM_AES_CMAC':
      return exactly(BLOCK_BYTES);
    case 'CKM_AES_GCM':
      return exactly(isSealing ? bytes + tagBytes : bytes - tagBytes);
    case 'CKM_AES_CBC':
    case 'CKM_AES_ECB':
    case 'CKM_AES_CTR':
      return exactly(bytes);
    case 'CKM_AES_CBC_PAD':
      return isSealing ? exactly(blocks(bytes + 1, BLOCK_BYTES)) : [bytes - BLOCK_BYTES, bytes - 1];
    case 'CKM_AES_KEY_WRAP':
      return exactly(isSealing ? bytes + 8 : bytes - 8);
    case 'CKM_AES_KEY_WRAP_KWP':
      return isSealing ? exactly(blocks(bytes, 8) + 8) : [bytes - 15, bytes - 8];
    case 'CKM_RSA_PKCS':
      return what === 'decrypt' ? [0, bytes - PKCS1_BYTES] : undefined;
    case 'CKM_RSA_PKCS_OAEP':
      return what === 'decrypt' && parameter?.kind === 'oaep' ? [0, bytes - 2 * HASH_BYTES[parameter.hash] - 2] : undefined;
    default:
      return undefined;
  }
}

/** @param bytes of the data, with the tag at their end @param given bytes of the answer @throws AnswerMalformed */
export function requireFit(what: Direction, mechanism: TokenMechanism, bytes: number, given: number): void {
  const [least, most] = lengthsOf(what, mechanism, bytes) ?? [0, Number.POSITIVE_INFINITY];
  requireBytes(mechanism.name, given, least, most);
}

/** @param what was asked, for the message @throws AnswerMalformed */
export function requireBytes(what: string, given: number, least: number, most = least): void {
  if (given >= least && given <= most) return;
  const expected = least === most ? `${least}` : `${least} to ${most}`;
  throw new AnswerMalformed(`${what} gave ${given} bytes, not ${most === Number.POSITIVE_INFINITY ? `${least} or more` : expected}`);
}
