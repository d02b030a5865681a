// Key agreement with ECDH on every curve and DH (SEC 1 section 3.3, RFC 7748 section 6).
import { diffieHellman, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { requireOn } from '../switched-off.ts';
import { isInSubgroup } from './discrete-log-key.ts';
import { keyFacts } from './key-algorithm.ts';
import { notAgreed } from './shared-secret.ts';

/** As the known answers name them. */
const NAME = { EC: 'ECDH', DH: 'DH' } as const;

/**
 * Returns the raw shared secret; for ECDH it is the x coordinate, with the length of the field.
 * @throws CryptoError invalid if the keys do not have the same curve or group, failed for a public key of small order or outside the subgroup, switched_off
 */
export function agree(privateKey: KeyObject, publicKey: KeyObject): Uint8Array {
  const [mine, theirs] = [keyFacts(privateKey), keyFacts(publicKey)];
  if (mine.algorithm !== 'EC' && mine.algorithm !== 'ECDH' && mine.algorithm !== 'DH')
    throw new CryptoError('unsupported', `${mine.algorithm} keys cannot be used for key agreement`);
  if (mine.algorithm !== theirs.algorithm || mine.curve !== theirs.curve || mine.length !== theirs.length)
    throw new CryptoError('invalid', 'the two keys must be on the same curve or in the same group');
  requireOn(mine.algorithm === 'EC' || mine.algorithm === 'DH' ? NAME[mine.algorithm] : mine.curve === 'CURVE448' ? 'X448' : 'X25519');
  if (mine.algorithm === 'DH' && !isInSubgroup(privateKey, publicKey)) throw notAgreed();
  try {
    return diffieHellman({ privateKey, publicKey });
  } catch {
    throw notAgreed();
  }
}
