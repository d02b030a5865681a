// Signs and verifies data that comes in parts, in several requests with the same KMIP correlation value.
import { createHash, createSign, createVerify, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import type { CryptographicParameters } from '../parameters.ts';
import type { SignatureEncoding } from './digest-signature.ts';
import { attempt, opensslInput, sign, signGivenDigest, verify, verifyGivenDigest } from './sign.ts';
import { isForKey, type Scheme, schemeOf, verifyingSchemes } from './signature-scheme.ts';

interface SignStream {
  update(data: Uint8Array): void;
  /** Returns the signature and ends the stream. */
  final(): Uint8Array;
}

interface VerifyStream {
  update(data: Uint8Array): void;
  /** Returns whether the signature matches all data, and ends the stream. */
  final(signature: Uint8Array): boolean;
}

/** Maximum size in bytes of data for algorithms that sign whole messages: Ed25519, Ed448, ML-DSA, SLH-DSA. */
const MAX_HELD = 64 * 1024 * 1024;

/** Collects parts in memory. @throws CryptoError too_large beyond 64 MiB */
function holder(): { update(data: Uint8Array): void; all(): Buffer } {
  const parts: Buffer[] = [];
  let length = 0;
  return {
    update(data) {
      length += data.length;
      if (length > MAX_HELD) throw new CryptoError('too_large', 'this algorithm signs at most 64 MiB in parts');
      parts.push(Buffer.from(data));
    },
    all: () => Buffer.concat(parts),
  };
}

/** @throws CryptoError as `sign` */
export function signStream(key: KeyObject, parameters: CryptographicParameters, encoding: SignatureEncoding = 'der'): SignStream {
  if (key.type !== 'private') throw new CryptoError('wrong_key', 'signing needs a private key');
  const scheme = schemeOf(key, parameters);
  if (scheme.kind === 'pure') {
    const held = holder();
    return { update: held.update, final: () => sign(key, parameters, { data: held.all() }) };
  }
  const input = opensslInput(key, scheme, encoding, false);
  if (input === undefined) {
    const hashing = createHash(scheme.digest.name);
    return { update: (data) => void hashing.update(data), final: () => attempt(() => signGivenDigest(key, scheme, hashing.digest(), encoding)) };
  }
  const signing = createSign(scheme.digest.name);
  return { update: (data) => void signing.update(data), final: () => attempt(() => signing.sign(input)) };
}

/** @throws CryptoError as `verify` */
export function verifyStream(key: KeyObject, parameters: CryptographicParameters, encoding: SignatureEncoding = 'der'): VerifyStream {
  // As with the whole: not a signature of this key.
  if (!isForKey(key, parameters)) return { update: () => undefined, final: () => false };
  const [scheme, ...others] = verifyingSchemes(key, parameters) as [Scheme, ...Scheme[]];
  if (scheme.kind === 'pure') {
    const held = holder();
    return { update: held.update, final: (signature) => verify(key, parameters, { data: held.all() }, signature) };
  }
  const input = opensslInput(key, scheme, encoding, true);
  if (input === undefined || others.length > 0) {
    const hashing = createHash(scheme.digest.name);
    return {
      update: (data) => void hashing.update(data),
      final(signature) {
        const digest = hashing.digest();
        return [scheme, ...others].some((each) => attempt(() => verifyGivenDigest(key, each, digest, signature, encoding)));
      },
    };
  }
  const verifying = createVerify(scheme.digest.name);
  return { update: (data) => void verifying.update(data), final: (signature) => attempt(() => verifying.verify(input, signature)) };
}
