// Computes all eight integers of an RSA private key from those that are given (RFC 8017 section 3.2, NIST SP 800-56B appendix C).
import { randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { gcd, inverse, power } from './modular.ts';
import { contradictionIn, sayContradiction } from './rsa-contradiction.ts';

export interface RsaIntegers {
  readonly modulus: bigint;
  readonly publicExponent: bigint;
  readonly privateExponent: bigint;
  readonly p: bigint;
  readonly q: bigint;
  readonly primeExponentP: bigint;
  readonly primeExponentQ: bigint;
  readonly crtCoefficient: bigint;
}

const WHAT = 'KeyMaterial: the RSA private key';
const USUAL_EXPONENT = 65537n;
const MAX_BITS = 16384;
/** FIPS 186-5 section A.1.1. */
const MAX_PUBLIC_EXPONENT = 1n << 256n;
/** Primes are recovered only for moduli up to this length: that takes a second, and twice the length takes six times as long. */
const MAX_RECOVERED_BITS = 8192;

/**
 * Completes a key from its primes, its private exponent, or its prime exponents. If the public exponent is missing, it is computed
 * from the primes and the private exponent; if that is missing too, it is assumed to be 65537. The arithmetic does not run in constant
 * time, but it runs only once, when a key is imported.
 * @throws CryptoError missing_data if the integers do not determine a key, invalid if they contradict each other
 */
export function completeRsa(given: Partial<RsaIntegers> & Pick<RsaIntegers, 'modulus'>): RsaIntegers {
  const { modulus, privateExponent } = given;
  if (modulus < 3n || modulus % 2n === 0n || bitsOf(modulus) > MAX_BITS) throw contradicting('Modulus is none of an RSA key');
  // Check this first, because the time of the computations below grows with the size of the numbers.
  if (Object.values(given).some((value) => value > modulus)) throw contradicting('a number is greater than Modulus');
  if ((given.publicExponent ?? 0n) >= MAX_PUBLIC_EXPONENT) throw contradicting('PublicExponent is too large');
  const { p, q } = primes(given);
  const lambda = ((p - 1n) * (q - 1n)) / gcd(p - 1n, q - 1n);
  const publicExponent = given.publicExponent ?? (privateExponent === undefined ? USUAL_EXPONENT : invertModulo(privateExponent, lambda));
  if (publicExponent < 3n || publicExponent >= modulus) throw contradicting('PublicExponent is none of this key');
  const d = privateExponent ?? invertModulo(publicExponent, lambda);
  const complete = {
    modulus,
    publicExponent,
    privateExponent: d,
    p,
    q,
    primeExponentP: d % (p - 1n),
    primeExponentQ: d % (q - 1n),
    crtCoefficient: invertModulo(q, p),
  };
  const contradiction = contradictionIn(complete);
  if (contradiction) throw contradicting(sayContradiction(contradiction));
  return complete;
}

const bitsOf = (value: bigint): number => value.toString(16).length * 4;

/** @throws CryptoError invalid if there is no inverse */
function invertModulo(value: bigint, modulus: bigint): bigint {
  const result = inverse(value, modulus);
  if (result === undefined) throw inconsistent();
  return result;
}

const contradicting = (how: string): CryptoError => new CryptoError('invalid', `${WHAT} contradicts itself: its integers do not fit together: ${how}`);

const inconsistent = (): CryptoError => contradicting('PrivateExponent does not follow from PublicExponent and Modulus');

function primes({
  modulus,
  p,
  q,
  publicExponent = USUAL_EXPONENT,
  privateExponent,
  primeExponentP,
  primeExponentQ,
}: Partial<RsaIntegers> & { modulus: bigint }): {
  p: bigint;
  q: bigint;
} {
  const prime = p ?? (q === undefined ? undefined : modulus / (q || 1n)) ?? recoverPrime();
  const other = modulus / (prime || 1n);
  if (prime < 3n || other < 3n || prime === other || prime * other !== modulus || (q !== undefined && q !== other)) throw contradicting(whyNoPrimes());
  return { p: prime, q: other };

  function whyNoPrimes(): string {
    if (p !== undefined || q !== undefined) return 'Modulus does not follow from P and Q';
    return `${privateExponent === undefined ? 'PrimeExponentP does' : 'PrivateExponent does'} not follow from PublicExponent and Modulus`;
  }

  function recoverPrime(): bigint {
    if (bitsOf(modulus) > MAX_RECOVERED_BITS)
      throw new CryptoError('missing_data', `${WHAT} has more than ${MAX_RECOVERED_BITS} bits; it must contain P and Q`);
    if (privateExponent !== undefined) return factor(modulus, publicExponent, privateExponent);
    // e * dP is 1 modulo p - 1, so p divides m^(e * dP) - m for every m.
    if (primeExponentP !== undefined && primeExponentQ !== undefined) return gcd(power(2n, publicExponent * primeExponentP, modulus) - 2n, modulus);
    throw new CryptoError('missing_data', `${WHAT} lacks PrivateExponent, or P and Q, or PrimeExponentP and PrimeExponentQ`);
  }
}

/** Finds a prime factor from a nontrivial square root of one (NIST SP 800-56B appendix C.1). */
function factor(modulus: bigint, e: bigint, d: bigint): bigint {
  const k = e * d - 1n;
  if (k <= 0n || k % 2n !== 0n || d >= modulus || e >= modulus) throw inconsistent();
  let odd = k;
  let halvings = 0;
  for (; odd % 2n === 0n; halvings++) odd /= 2n;
  for (let attempt = 0; attempt < 100; attempt++) {
    const base = BigInt(`0x${randomBytes(64).toString('hex')}`) % modulus;
    let root = power(base, odd, modulus);
    if (root === 1n || root === modulus - 1n) continue;
    for (let step = 1; step <= halvings; step++) {
      const square = (root * root) % modulus;
      if (square === 1n) return gcd(root - 1n, modulus);
      if (square === modulus - 1n) break;
      // If e and d belong together, every base to the power of k is 1.
      if (step === halvings) throw inconsistent();
      root = square;
    }
  }
  throw inconsistent();
}
