// RSA keys of the crypto API: generates new ones, and imports others after checking that their members are consistent (RFC 7518 section 6.3).
import { checkPrime, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { JsonNames } from '../api.ts';
import type { OperationContext } from '../operation-context.ts';
import { purposeOf } from './algorithm.ts';
import { findKeyManagement } from './key-management.ts';
import { combinePurposes, ENCRYPTION, type KeyPurpose, SIGNING } from './key-purpose.ts';
import { type Members, optionalOctets } from './members.ts';
import type { NewPair } from './new-key.ts';
import { notOfKind } from './not-of-kind.ts';
import { badRequest } from './problem.ts';
import { findSignatureAlgorithm } from './signature-algorithm.ts';

/** Limits of the modulus in bits. */
const MODULUS = { smallest: 2048, largest: 8192 };

const generate = promisify(generateKeyPair);
const isPrime = promisify(checkPrime);

/** @param bits of the modulus @throws Problem bad_request, unsupported_algorithm */
export async function createRsaKey(body: Members, { aside, server }: OperationContext, alg: string | undefined, bits: number | undefined): Promise<NewPair> {
  const purpose = rsaPurpose(alg, server.args.jsonNames);
  if (body['n'] !== undefined) return { ...(await importRsa(body, bits)), alg, purpose, imported: true };
  if (body['d'] !== undefined) throw badRequest('missing member: n');
  const modulusLength = bits ?? MODULUS.smallest;
  requireLength(modulusLength);
  const pair = await aside(() => generate('rsa', { modulusLength }));
  return { ...pair, alg, purpose, imported: false };
}

/** Clients of the compact spelling create one key for RS256 and also encrypt with it. */
function rsaPurpose(alg: string | undefined, names: JsonNames): KeyPurpose {
  if (alg === undefined) return combinePurposes(SIGNING, ENCRYPTION);
  const scheme = findSignatureAlgorithm(alg)?.scheme;
  const purpose = scheme === 'PKCS1' || scheme === 'PSS' || findKeyManagement(alg)?.mode === 'oaep' ? purposeOf(alg) : undefined;
  if (!purpose) throw notOfKind(alg);
  return names === 'compact' && scheme !== undefined ? { ...purpose, ...combinePurposes(purpose, ENCRYPTION) } : purpose;
}

function requireLength(bits: number): void {
  if (bits < MODULUS.smallest || bits > MODULUS.largest || bits % 8 !== 0)
    throw badRequest(`RSA keys have ${MODULUS.smallest} to ${MODULUS.largest} bits, a multiple of 8`);
}

const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const;

async function importRsa(body: Members, bits: number | undefined): Promise<Pick<NewPair, 'privateKey' | 'publicKey'>> {
  // No member is longer than the modulus. Longer ones are refused before any computation.
  const number = (name: string, maxBytes = MODULUS.largest / 8): bigint => {
    const bytes = optionalOctets(body, name);
    if (bytes === undefined || bytes.length === 0) throw badRequest(`missing member: ${name}`);
    if (bytes.length > maxBytes) throw badRequest(`${name} has more than ${maxBytes} bytes`);
    return BigInt(`0x${bytes.toString('hex')}`);
  };
  const [n, e] = [number('n'), number('e')];
  const length = n.toString(2).length;
  requireLength(length);
  if (bits !== undefined && bits !== length) throw badRequest('bits is not the length of n');
  if (n % 2n === 0n || e < 3n || e % 2n === 0n || e >= 2n ** 64n) throw badRequest('n and e are no RSA public key');
  const publicMembers = { kty: 'RSA', n: encode(n), e: encode(e) };
  const publicKey = createPublicKey({ key: publicMembers, format: 'jwk' });
  if (PRIVATE.every((name) => body[name] === undefined)) return { publicKey };
  if (body['oth'] !== undefined) throw badRequest('RSA keys with more than two primes are not supported');
  const [d, p, q, dp, dq, qi] = PRIVATE.map((name) => number(name)) as [bigint, bigint, bigint, bigint, bigint, bigint];
  await requireConsistent({ n, e, d, p, q, dp, dq, qi });
  const privateMembers = { d: encode(d), p: encode(p), q: encode(q), dp: encode(dp), dq: encode(dq), qi: encode(qi) };
  return { publicKey, privateKey: createPrivateKey({ key: { ...publicMembers, ...privateMembers }, format: 'jwk' }) };
}

type RsaNumbers = Readonly<Record<'n' | 'e' | (typeof PRIVATE)[number], bigint>>;

/** RFC 8017 section 3.2: the given members must follow from the primes and `e`. */
async function requireConsistent({ n, e, d, p, q, dp, dq, qi }: RsaNumbers): Promise<void> {
  const fits =
    p > 1n &&
    q > 1n &&
    p !== q &&
    p * q === n &&
    d < n &&
    (e * d) % (p - 1n) === 1n &&
    (e * d) % (q - 1n) === 1n &&
    dp === d % (p - 1n) &&
    dq === d % (q - 1n) &&
    qi < p &&
    (qi * q) % p === 1n;
  if (!fits || !(await isPrime(p)) || !(await isPrime(q))) throw badRequest('the members are not those of one RSA key');
}

/** Base64urlUInt (RFC 7518 section 2). */
function encode(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
