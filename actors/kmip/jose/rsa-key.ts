// RSA keys of the crypto API: says what a new one is like, and reads others after checking that their members are consistent (RFC 7518 section 6.3).
import { checkPrime, createPrivateKey, createPublicKey } from 'node:crypto';
import { promisify } from 'node:util';
import { contradictionIn, sayContradiction } from '../../../crypto/key/rsa-contradiction.ts';
import { findAlgorithm } from '../../../jose/algorithm.ts';
import { combinePurposes, ENCRYPTION, type KeyPurpose, SIGNING } from '../../../jose/key-purpose.ts';
import { RSA_MODULUS_BITS } from '../../../jose/rsa.ts';
import { findSignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import type { JsonNames } from '../api.ts';
import type { OperationContext } from '../operation-context.ts';
import { isGiven, type Members, optionalOctets } from './members.ts';
import type { GivenPair, NewPair } from './new-pair.ts';
import { notOfKind } from './not-of-kind.ts';
import { badRequest } from './problem.ts';

const isPrime = promisify(checkPrime);

/** @param bits of the modulus @throws Problem bad_request, unsupported_algorithm */
export async function newRsaKey(body: Members, { server }: OperationContext, alg: string | undefined, bits: number | undefined): Promise<NewPair> {
  const purpose = rsaPurpose(alg, server.args.jsonNames);
  if (isGiven(body, 'n')) return { given: await importRsa(body, bits), alg, purpose };
  // A new key has the exponent that all have: one given alone would be passed over.
  if (['e', ...PRIVATE].some((name) => isGiven(body, name))) throw badRequest('missing member: n');
  const modulusLength = bits ?? RSA_MODULUS_BITS.min;
  requireLength(modulusLength);
  return { wish: { algorithm: 'RSA', length: modulusLength }, alg, purpose };
}

/** Clients of the compact spelling create one key for RS256 and also encrypt with it. */
function rsaPurpose(alg: string | undefined, names: JsonNames): KeyPurpose {
  if (alg === undefined) return combinePurposes(SIGNING, ENCRYPTION);
  const row = findAlgorithm(alg);
  const purpose = row?.kty.includes('RSA') ? row.purpose : undefined;
  if (!purpose) throw notOfKind(alg);
  return names === 'compact' && findSignatureAlgorithm(alg) ? { ...purpose, ...combinePurposes(purpose, ENCRYPTION) } : purpose;
}

function requireLength(bits: number): void {
  const { min, max, multipleOf } = RSA_MODULUS_BITS;
  if (bits < min || bits > max || bits % multipleOf !== 0) throw badRequest(`an RSA key must have ${min} to ${max} bits, a multiple of ${multipleOf}`);
}

const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const;

async function importRsa(body: Members, bits: number | undefined): Promise<GivenPair> {
  // No member is longer than the modulus. Longer ones are refused before any computation.
  const number = (name: string, maxBytes = RSA_MODULUS_BITS.max / 8): bigint => {
    const bytes = optionalOctets(body, name);
    if (bytes === undefined || bytes.length === 0) throw badRequest(`missing member: ${name}`);
    if (bytes.length > maxBytes) throw badRequest(`${name} has more than ${maxBytes} bytes`);
    return BigInt(`0x${bytes.toString('hex')}`);
  };
  const [n, e] = [number('n'), number('e')];
  const length = n.toString(2).length;
  requireLength(length);
  if (bits !== undefined && bits !== length) throw badRequest('bits must be the length of n');
  if (n % 2n === 0n || e < 3n || e % 2n === 0n || e >= 2n ** 64n) throw badRequest('n and e are not an RSA public key');
  const publicMembers = { kty: 'RSA', n: encode(n), e: encode(e) };
  const publicKey = createPublicKey({ key: publicMembers, format: 'jwk' });
  if (!PRIVATE.some((name) => isGiven(body, name))) return { publicKey };
  if (isGiven(body, 'oth')) throw badRequest('RSA keys with more than two primes are not supported');
  const [d, p, q, dp, dq, qi] = PRIVATE.map((name) => number(name)) as [bigint, bigint, bigint, bigint, bigint, bigint];
  await requireConsistent({ n, e, d, p, q, dp, dq, qi });
  const privateMembers = { d: encode(d), p: encode(p), q: encode(q), dp: encode(dp), dq: encode(dq), qi: encode(qi) };
  return { publicKey, privateKey: createPrivateKey({ key: { ...publicMembers, ...privateMembers }, format: 'jwk' }) };
}

type RsaNumbers = Readonly<Record<'n' | 'e' | (typeof PRIVATE)[number], bigint>>;

const MEMBER_NAMES = {
  ...{ modulus: 'n', publicExponent: 'e', privateExponent: 'd', p: 'p', q: 'q' },
  ...{ primeExponentP: 'dp', primeExponentQ: 'dq', crtCoefficient: 'qi' },
} as const;

/** RFC 8017 section 3.2: the given members must follow from the primes and `e`. */
async function requireConsistent({ n, e, d, p, q, dp, dq, qi }: RsaNumbers): Promise<void> {
  const contradiction = contradictionIn({
    ...{ modulus: n, publicExponent: e, privateExponent: d, p, q },
    ...{ primeExponentP: dp, primeExponentQ: dq, crtCoefficient: qi },
  });
  const why = contradiction ? sayContradiction(contradiction, MEMBER_NAMES) : (await isPrime(p)) && (await isPrime(q)) ? undefined : 'p or q is no prime';
  if (why !== undefined) throw badRequest(`the members do not belong to one RSA key: ${why}`);
}

/** Base64urlUInt (RFC 7518 section 2). */
function encode(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
