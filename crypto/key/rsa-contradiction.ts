// Finds the number of an RSA private key that does not follow from the others (RFC 8017 section 3.2).
import { inverse } from './modular.ts';
import type { RsaIntegers } from './rsa-integers.ts';

type Name = keyof RsaIntegers;

interface RsaContradiction {
  readonly of: Name;
  readonly from: readonly Name[];
}

/** The names of KMIP, which are those of RFC 8017 appendix A.1.2 in other letters. */
const KMIP_NAMES: Readonly<Record<Name, string>> = {
  modulus: 'Modulus',
  publicExponent: 'PublicExponent',
  privateExponent: 'PrivateExponent',
  p: 'P',
  q: 'Q',
  primeExponentP: 'PrimeExponentP',
  primeExponentQ: 'PrimeExponentQ',
  crtCoefficient: 'CRTCoefficient',
};

/** With such numbers, signatures could show the primes. @returns undefined if all follow from each other */
export function contradictionIn({ modulus, publicExponent: e, privateExponent: d, p, q, ...crt }: RsaIntegers): RsaContradiction | undefined {
  if (p < 3n || q < 3n || p === q || p * q !== modulus) return { of: 'modulus', from: ['p', 'q'] };
  if (d >= modulus || (e * d) % (p - 1n) !== 1n || (e * d) % (q - 1n) !== 1n) return { of: 'privateExponent', from: ['publicExponent', 'p', 'q'] };
  if (crt.primeExponentP !== d % (p - 1n)) return { of: 'primeExponentP', from: ['privateExponent', 'p'] };
  if (crt.primeExponentQ !== d % (q - 1n)) return { of: 'primeExponentQ', from: ['privateExponent', 'q'] };
  return crt.crtCoefficient === inverse(q, p) ? undefined : { of: 'crtCoefficient', from: ['q', 'p'] };
}

/** `PrimeExponentP does not follow from PrivateExponent and P`, without a value. @param names in the protocol of the client */
export function sayContradiction({ of, from }: RsaContradiction, names: Readonly<Record<Name, string>> = KMIP_NAMES): string {
  const told = from.map((name) => names[name]);
  return `${names[of]} does not follow from ${told.slice(0, -1).join(', ')} and ${told.at(-1)}`;
}
