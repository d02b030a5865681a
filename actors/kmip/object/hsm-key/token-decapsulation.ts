// Decapsulates with keys on tokens: DHKEM, whose power the token takes and whose derivation this server makes (RFC 9180 section 4.1).
import type { KeyObject } from 'node:crypto';
import { CryptoError } from '../../../../crypto/crypto-error.ts';
import { dhkemSecret } from '../../../../crypto/key/encapsulation.ts';
import { exportRaw, importRaw } from '../../../../crypto/key/raw-key.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../../crypto/parameters.ts';
import type { Key } from '../key.ts';
import { lacksMechanism } from './token-refusal.ts';

/** @throws CryptoError failed for what is no point of the curve, unsupported; Refusal for what the token refuses */
export async function decapsulateOnToken(key: Pick<Key, 'algorithm' | 'curve' | 'agree' | 'publicKey'>, ciphertext: Uint8Array): Promise<Uint8Array> {
  const { algorithm, curve } = key;
  if (algorithm === undefined || curve === undefined) throw lacksMechanism('CKM_ML_KEM');
  const dh = await key.agree(pointOf(ciphertext, algorithm, curve));
  return dhkemSecret({ curve, dh, ciphertext, recipient: exportRaw(await key.publicKey()) });
}

function pointOf(bytes: Uint8Array, algorithm: CryptographicAlgorithm, curve: RecommendedCurve): KeyObject {
  try {
    return importRaw('PublicKey', bytes, algorithm, curve);
  } catch {
    throw new CryptoError('failed', 'decryption failed');
  }
}
