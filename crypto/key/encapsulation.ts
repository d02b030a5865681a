// Key encapsulation: ML-KEM (FIPS 203), and DHKEM on the curves of RFC 9180 section 4.1.
import { createHmac, type KeyObject, decapsulate as opensslDecapsulate, encapsulate as opensslEncapsulate } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import type { RecommendedCurve } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { keyFacts } from './key-algorithm.ts';

/**
 * As KMIP names them (3.0 section 11.26). Its RSASVE is not offered: the secret would be what the bare private key makes of any number, so whoever may
 * decapsulate could decrypt and sign with the key whatever they want.
 */
export type Kem = 'MLKEM' | 'DHKEM';

interface Encapsulation {
  /** 32 to 64 bytes. */
  readonly sharedSecret: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** RFC 9180 table 2: the number of the mechanism, and the hash of HKDF, which is as long as the secret. */
const DHKEM: Readonly<Partial<Record<RecommendedCurve, { readonly id: number; readonly hash: string }>>> = {
  P_256: { id: 0x0010, hash: 'sha256' },
  P_384: { id: 0x0011, hash: 'sha384' },
  P_521: { id: 0x0012, hash: 'sha512' },
  CURVE25519: { id: 0x0020, hash: 'sha256' },
  CURVE448: { id: 0x0021, hash: 'sha512' },
};

/** The mechanism of a key, private or public. @throws CryptoError unsupported for a key that has none */
export function kemOf({ algorithm, curve }: Pick<ReturnType<typeof keyFacts>, 'algorithm' | 'curve'>): Kem {
  if (algorithm.startsWith('MLKEM')) return 'MLKEM';
  if (curve !== undefined && DHKEM[curve]) return 'DHKEM';
  throw new CryptoError(
    'unsupported',
    `${algorithm} keys${curve === undefined ? '' : ` on ${curve}`} cannot encapsulate: use ML-KEM, P-256, P-384, P-521, X25519 or X448`,
  );
}

function checkedFacts(key: KeyObject): ReturnType<typeof keyFacts> {
  const facts = keyFacts(key);
  const kem = kemOf(facts);
  requireOn(kem === 'MLKEM' ? facts.algorithm : kem);
  return facts;
}

/** Makes a new secret, and encapsulates it for the owner of the private key. @throws CryptoError unsupported for other keys, switched_off */
export function encapsulate(publicKey: KeyObject): Encapsulation {
  checkedFacts(publicKey);
  const { sharedKey, ciphertext } = opensslEncapsulate(publicKey);
  return { sharedSecret: sharedKey, ciphertext };
}

/**
 * Returns the encapsulated secret. A ciphertext for another key, or a changed one, yields a secret that nobody else has (for ML-KEM FIPS 203 section 6.3).
 * @throws CryptoError failed for a ciphertext of the wrong length and for what is no point of the curve, unsupported for other keys, switched_off
 */
export function decapsulate(privateKey: KeyObject, ciphertext: Uint8Array): Uint8Array {
  checkedFacts(privateKey);
  try {
    return opensslDecapsulate(privateKey, ciphertext);
  } catch {
    throw new CryptoError('failed', 'decryption failed');
  }
}

/** What one side of DHKEM has where the power is taken by a device. */
interface DhkemInput {
  readonly curve: RecommendedCurve;
  /** What ECDH makes of the private key and the ciphertext. */
  readonly dh: Uint8Array;
  /** The ephemeral public key, as it is sent. */
  readonly ciphertext: Uint8Array;
  /** The recipient's public key in the same form. */
  readonly recipient: Uint8Array;
}

/** The secret of DHKEM for keys that do not leave their place (RFC 9180 section 4.1, ExtractAndExpand). @throws CryptoError unsupported, switched_off */
export function dhkemSecret({ curve, dh, ciphertext, recipient }: DhkemInput): Uint8Array {
  const suite = DHKEM[curve];
  if (!suite) throw new CryptoError('unsupported', `DHKEM is not defined on ${curve}`);
  requireOn('DHKEM');
  const label = Buffer.concat([Buffer.from('HPKE-v1KEM'), twoBytes(suite.id)]);
  const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]) => createHmac(suite.hash, key).update(Buffer.concat(parts)).digest();
  const extracted = hmac(Buffer.alloc(0), label, Buffer.from('eae_prk'), dh);
  // The secret is as long as the hash, so HKDF expands it in one step (RFC 5869 section 2.3).
  const info = [twoBytes(extracted.length), label, Buffer.from('shared_secret'), ciphertext, recipient];
  return new Uint8Array(hmac(extracted, ...info, Buffer.from([1])));
}

const twoBytes = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
