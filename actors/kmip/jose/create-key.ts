// Creates and imports keys: POST /v1/crypto/keys takes a JSON Web Key, with or without key material (RFC 7517, RFC 7518 section 6, RFC 8037).
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { findAlgorithm } from '../../../jose/algorithm.ts';
import { findContentEncryption } from '../../../jose/content-encryption.ts';
import { findKeyManagement } from '../../../jose/key-management.ts';
import { KEY_TYPES } from '../../../jose/key-type.ts';
import { findMacAlgorithm } from '../../../jose/mac-algorithm.ts';
import { findSignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import { withoutPublicEnd } from '../../../kmip/pair-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { isLonger } from '../../../text/code-points.ts';
import { requireCreation } from '../object/create.ts';
import { isOnToken } from '../object/hsm-identifier.ts';
import { pairPlaces, placeFor } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import { newEllipticKey } from './elliptic-key.ts';
import { pairFor, secretFor } from './intended-use.ts';
import { isGiven, MAX_NAME, type Members, optionalOctets, optionalText, text } from './members.ts';
import { newMlDsaKey } from './ml-dsa-key.ts';
import { hasPrivateKey, type NewPair, storePair } from './new-pair.ts';
import { storeSecret } from './new-secret.ts';
import { notOfKind } from './not-of-kind.ts';
import { badRequest } from './problem.ts';
import { newRsaKey } from './rsa-key.ts';

/** @throws Problem, Refusal */
export async function createKey(body: Members, ctx: OperationContext): Promise<unknown> {
  const kty = text(body, 'kty');
  requireKeyOfCertificate(body);
  await requireCreation(ctx);
  const alg = optionalText(body, 'alg');
  const bits = optionalBits(body);
  if (kty === 'oct') return createSecret(body, ctx, alg, bits);
  // Asked for before a key is made or checked, which may take long.
  const places = pairPlaces(ctx, tokenIdentifier(body, ctx));
  const pair = await newPair(kty, body, ctx, alg, bits);
  return storePair(ctx, places, { ...pair, purpose: pairFor(body, pair.purpose, hasPrivateKey(pair)) }, bits);
}

function newPair(kty: string, body: Members, ctx: OperationContext, alg: string | undefined, bits: number | undefined): NewPair | Promise<NewPair> {
  switch (kty) {
    case 'RSA':
      return newRsaKey(body, ctx, alg, bits);
    case 'EC':
      return newEllipticKey(body, 'EC', alg);
    case 'OKP':
      // The registered key type of ML-DSA is AKP, but clients that predate it send OKP.
      return isMlDsa(alg) ? newMlDsaKey(body, alg) : newEllipticKey(body, 'OKP', alg);
    case 'AKP':
      return newMlDsaKey(body, alg);
    default:
      throw badRequest(`kty must be one of ${KEY_TYPES.join(', ')}`);
  }
}

/**
 * The identifier of a key that is to lie in an HSM, of a public key that of its pair. Any other `kid` is a name that the key had elsewhere: the server gives each key of its own one.
 * @throws Problem bad_request if it is no text, or if the server has no HSM: the key would be in the database
 */
function tokenIdentifier(body: Members, { server }: OperationContext): string | undefined {
  const { kid } = body;
  if (!isGiven(body, 'kid')) return undefined;
  // RFC 7517 section 4.5.
  if (typeof kid !== 'string') throw badRequest('kid is not a string');
  if (isLonger(kid, MAX_NAME)) throw badRequest(`kid has more than ${MAX_NAME} characters`);
  if (!isOnToken(kid)) return undefined;
  if (!server.objects.sourceOf(kid).keeper) throw badRequest('kid is that of a key in an HSM, and this server has none');
  const isPublic = ['n', 'x', 'pub'].some((name) => isGiven(body, name)) && !['d', 'priv'].some((name) => isGiven(body, name));
  return isPublic ? withoutPublicEnd(kid) : kid;
}

/** A certificate is that of a key (RFC 7517 sections 4.6 to 4.9): without its members a new key would be made, which it is not of. */
function requireKeyOfCertificate(body: Members): void {
  const certificate = ['x5c', 'x5u', 'x5t', 'x5t#S256'].find((name) => isGiven(body, name));
  if (certificate !== undefined && !['k', 'n', 'x', 'd', 'pub', 'priv'].some((name) => isGiven(body, name)))
    throw badRequest(`${certificate} belongs to a key, whose members are missing`);
}

const isMlDsa = (alg: string | undefined) => alg !== undefined && findSignatureAlgorithm(alg)?.mlDsa !== undefined;

function optionalBits(body: Members): number | undefined {
  const bits = body['bits'];
  if (bits === undefined || bits === null) return undefined;
  if (typeof bits !== 'number' || !Number.isInteger(bits) || bits <= 0 || bits > 65536) throw badRequest('bits must be a whole number from 1 to 65536');
  return bits;
}

interface SecretShape {
  readonly algorithm: CryptographicAlgorithm;
  /** Length of a new key in bytes. */
  readonly length: number;
  /** Whether longer keys are accepted too. */
  readonly longer: boolean;
}

const MAX_MAC_KEY_BYTES = 512;

function createSecret(body: Members, ctx: OperationContext, alg: string | undefined, bits: number | undefined): Promise<unknown> {
  const given = optionalOctets(body, 'k');
  if (alg === undefined && given !== undefined) throw badRequest('missing member: alg, which says what the imported key is for');
  const name = alg ?? `A${bits ?? 256}GCM`;
  const shape = secretShape(name);
  const whole = findAlgorithm(name)?.purpose;
  if (!shape || !whole) throw alg === undefined ? badRequest('bits must be 128, 192 or 256 for an AES key') : notOfKind(alg);
  const length = bits === undefined ? (given?.length ?? shape.length) : bits / 8;
  if (given !== undefined && given.length !== length) throw badRequest('bits must be the length of k');
  const longest = shape.longer ? MAX_MAC_KEY_BYTES : shape.length;
  if (!Number.isInteger(length) || length < shape.length || length > longest)
    throw badRequest(`a key for ${name} must have ${shape.length * 8}${shape.longer ? ` to ${longest * 8} bits, a multiple of 8` : ' bits'}`);
  const purpose = secretFor(body, whole);
  const place = placeFor(ctx, { type: ENUM.ObjectType.SymmetricKey, chosen: tokenIdentifier(body, ctx) });
  return storeSecret(ctx, { place, given, length, algorithm: shape.algorithm, alg: name, purpose });
}

function secretShape(name: string): SecretShape | undefined {
  const enc = findContentEncryption(name);
  if (enc) return { algorithm: 'AES', length: enc.keyLength, longer: false };
  const mac = findMacAlgorithm(name);
  if (mac) return { algorithm: mac.algorithm, length: mac.length, longer: true };
  const management = findKeyManagement(name);
  return management?.mode === 'wrap' ? { algorithm: 'AES', length: management.wrapLength, longer: false } : undefined;
}
