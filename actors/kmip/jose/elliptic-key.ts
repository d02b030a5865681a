// Elliptic curve keys of the crypto API: says what a new one is like, and reads others with the public key computed from `d` (RFC 7518 section 6.2, RFC 8037).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isPublicPoint } from '../../../crypto/key/public-point.ts';
import { findAlgorithm } from '../../../jose/algorithm.ts';
import { type Curve, curvesOf } from '../../../jose/curve.ts';
import { findKeyManagement } from '../../../jose/key-management.ts';
import { AGREEMENT, combinePurposes, type KeyPurpose, SIGNING } from '../../../jose/key-purpose.ts';
import { findSignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';
import { publicJwk } from './jwk.ts';
import { type Members, optionalOctets, optionalText } from './members.ts';
import type { GivenPair, NewPair } from './new-pair.ts';
import { notOfKind } from './not-of-kind.ts';
import { badRequest } from './problem.ts';

/** @throws Problem bad_request, unsupported_algorithm */
export function newEllipticKey(body: Members, kty: 'EC' | 'OKP', alg: string | undefined): NewPair {
  const crv = optionalText(body, 'crv');
  // A new key has a default curve, but the bytes of one curve can be read as those of another (RFC 7518 section 6.2.1.1).
  if (crv === undefined && ['x', 'y', 'd'].some((name) => optionalOctets(body, name) !== undefined)) throw badRequest('missing member: crv');
  const curve = curveOf(kty, crv, alg);
  const purpose = purposeOn(curve, alg);
  const x = coordinate(body, 'x', curve);
  const y = kty === 'EC' ? coordinate(body, 'y', curve) : undefined;
  const d = coordinate(body, 'd', curve);
  if (d !== undefined) return { given: importPair(d, curve, x, y), alg, purpose };
  if (x === undefined && y === undefined) return { wish: { algorithm: curve.algorithm, curve: curve.curve }, alg, purpose };
  return { given: { publicKey: publicPoint(curve, x, y) }, alg, purpose };
}

function curveOf(kty: string, crv: string | undefined, alg: string | undefined): Curve {
  const offered = curvesOf(kty);
  const names = alg === undefined ? undefined : findSignatureAlgorithm(alg)?.curves;
  const found = offered.find((each) => (crv === undefined ? (names?.includes(each.crv) ?? each.kty === kty) : each.crv === crv));
  if (!found && crv === undefined && alg !== undefined) throw notOfKind(alg);
  if (!found) throw badRequest(`crv must be one of ${offered.map((each) => each.crv).join(', ')}`);
  // For key agreement without `crv`, if the default curve of the key type only signs.
  if (crv === undefined && !found.agrees && isAgreement(alg)) return offered.find((each) => each.agrees) ?? found;
  return found;
}

const isAgreement = (alg: string | undefined): boolean => alg !== undefined && findKeyManagement(alg)?.mode === 'agreement';

function purposeOn({ crv, kty, signs, agrees }: Curve, alg: string | undefined): KeyPurpose {
  if (alg === undefined) return signs && agrees ? combinePurposes(SIGNING, AGREEMENT) : signs ? SIGNING : AGREEMENT;
  const isOn = isAgreement(alg) ? agrees : findSignatureAlgorithm(alg)?.curves?.includes(crv);
  const purpose = isOn ? findAlgorithm(alg)?.purpose : undefined;
  if (!purpose) throw findAlgorithm(alg)?.kty.includes(kty) ? badRequest(`alg does not go with crv ${crv}`) : notOfKind(alg);
  return purpose;
}

/** The length is fixed, so leading zeros must not be omitted (RFC 7518 section 6.2.1.2). */
function coordinate(body: Members, name: string, { crv, length }: Curve): Buffer | undefined {
  const bytes = optionalOctets(body, name);
  if (bytes !== undefined && bytes.length !== length) throw badRequest(`${name} must be ${length} bytes on ${crv}`);
  return bytes;
}

function importPair(d: Buffer, { crv, algorithm, curve }: Curve, x: Buffer | undefined, y: Buffer | undefined): GivenPair {
  let privateKey: KeyObject;
  try {
    privateKey = importKey('PrivateKey', 'Raw', d, algorithm, curve);
  } catch (cause) {
    throw badRequest(`d is not a private key on ${crv}`, cause);
  }
  const publicKey = createPublicKey(privateKey);
  const members = publicJwk(publicKey);
  const differs = (given: Buffer | undefined, own: unknown) => given !== undefined && given.toString('base64url') !== own;
  if (differs(x, members['x']) || differs(y, members['y'])) throw badRequest('x and y must be the public key of d');
  return { privateKey, publicKey };
}

function publicPoint({ crv, kty }: Curve, x: Buffer | undefined, y: Buffer | undefined): KeyObject {
  if (x === undefined || (kty === 'EC' && y === undefined)) throw badRequest(`missing member: ${x === undefined ? 'x' : 'y'}`);
  const key = { kty, crv, x: x.toString('base64url'), ...(y && { y: y.toString('base64url') }) };
  let point: KeyObject;
  try {
    point = createPublicKey({ key, format: 'jwk' });
  } catch (cause) {
    throw badRequest(`x and y are not a point on ${crv}`, cause);
  }
  if (!isPublicPoint(point)) throw badRequest(`x is not a public key on ${crv}`);
  return point;
}
