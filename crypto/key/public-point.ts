// Checks the points of public keys on curves, of which OpenSSL reads some that no private key has (NIST SP 800-56A section 5.6.2.3, RFC 7748 section 7, RFC 8032).
import { createECDH, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { domainOf, kmipCurve, opensslCurve } from './curve.ts';
import { isEdwardsPoint } from './edwards-point.ts';
import { toBytes } from './modular.ts';
import { exportRaw } from './raw-key.ts';

/**
 * Whether a public key is a point that a private key can have: not of small order, with which signatures verify that nobody has made, and the secrets
 * of key agreements are known to everybody or show a part of the private key. True for keys without a point.
 * @throws CryptoError unsupported for a curve without a KMIP name
 */
export function isPublicPoint(key: KeyObject): boolean {
  if (key.type !== 'public') return true;
  if (key.asymmetricKeyType === 'ec') return isInGroup(key);
  return key.asymmetricKeyType === 'x25519' || key.asymmetricKeyType === 'x448' ? leadsToSecret(key, key.asymmetricKeyType) : isEdwardsPoint(key);
}

const own = new Map<string, KeyObject>();

/** Private keys of RFC 7748 are multiples of the cofactor, so all of them lead to zero with a point of small order, and OpenSSL refuses zero. */
function leadsToSecret(publicKey: KeyObject, type: 'x25519' | 'x448'): boolean {
  let privateKey = own.get(type);
  if (privateKey === undefined) {
    privateKey = generateKeyPairSync(type as 'x25519').privateKey;
    own.set(type, privateKey);
  }
  try {
    diffieHellman({ privateKey, publicKey });
    return true;
  } catch {
    return false;
  }
}

/** That a point is on its curve and not at infinity is checked when it is read (read-public-key.ts). Without a cofactor, all of them have the order of the curve. */
function isInGroup(key: KeyObject): boolean {
  const curve = kmipCurve(key.asymmetricKeyDetails?.namedCurve);
  const { order, cofactor } = domainOf(curve);
  if (cofactor === 1n) return true;
  const point = exportRaw(key);
  const size = Math.ceil(order.toString(2).length / 8);
  const xOf = (times: bigint): string => {
    const multiplier = createECDH(opensslCurve(curve));
    multiplier.setPrivateKey(toBytes(times, size));
    return multiplier.computeSecret(point).toString('hex');
  };
  try {
    // A multiple and its negative have the same x: the order of the curve times the point is zero.
    return xOf(order - 1n) === xOf(1n) && xOf(order - 2n) === xOf(2n);
  } catch {
    return false;
  }
}
