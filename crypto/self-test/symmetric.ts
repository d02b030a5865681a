// Computes the known answers of algorithms without key pairs: ciphers, hashes, MACs, derivations, FF1 and split keys.
import { cbcHmac } from '../cipher/cbc-hmac.ts';
import { cipherFor } from '../cipher/cipher.ts';
import { derive } from '../derivation/derive.ts';
import { ff1Decrypt, ff1Encrypt } from '../format-preserving/fpe.ts';
import { hash } from '../hash.ts';
import { join, split } from '../secret-sharing/split.ts';
import { mac, macAlgorithm, macVerify } from '../signature/mac.ts';
import type { CipherAnswer, DerivationAnswer, FormatAnswer, MacAnswer, SharesAnswer, SymmetricAnswer } from './known-answer.ts';

export const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
export const same = (found: Uint8Array | undefined, expected: string | undefined): boolean =>
  expected === undefined ? found === undefined : found !== undefined && Buffer.from(found).toString('hex') === expected;
const optional = (hex: string | undefined): Buffer | undefined => (hex === undefined ? undefined : bytes(hex));

export function isSymmetricRight(answer: SymmetricAnswer): boolean {
  switch (answer.kind) {
    case 'cipher':
      return isCipherRight(answer);
    case 'hash':
      return same(hash(answer.of, bytes(answer.data)), answer.digest);
    case 'mac':
      return isMacRight(answer);
    case 'derivation':
      return isDerivationRight(answer);
    case 'format':
      return isFormatRight(answer);
    case 'shares':
      return isSharingRight(answer);
  }
}

function isCipherRight({ of, parameters, key: keyHex, iv, aad, data, encrypted, tag }: CipherAnswer): boolean {
  const key = bytes(keyHex);
  const cipher = of === 'AES_CBC_HMAC' ? cbcHmac(parameters, key.length) : cipherFor(of, parameters, key.length);
  const input = { iv: optional(iv), aad: optional(aad) };
  const sealed = cipher.encrypt(key, { ...input, data: bytes(data) });
  return same(sealed.data, encrypted) && same(sealed.tag, tag) && same(cipher.decrypt(key, { ...input, data: bytes(encrypted), tag: optional(tag) }), data);
}

function isMacRight({ of, parameters, key, data, mac: expected }: MacAnswer): boolean {
  const algorithm = macAlgorithm(of, parameters);
  return same(mac(algorithm, bytes(key), bytes(data)), expected) && macVerify(algorithm, bytes(key), bytes(data), bytes(expected));
}

function isDerivationRight({ method, parameters, key, keyAlgorithm, data, salt, iv, iterationCount, derived }: DerivationAnswer): boolean {
  const input = { parameters, keyAlgorithm, iterationCount, key: optional(key), data: data.map(bytes), salt: optional(salt), iv: optional(iv) };
  return same(derive(method, { ...input, length: derived.length / 2 }), derived);
}

function isFormatRight({ key, radix, tweak, text, encrypted }: FormatAnswer): boolean {
  const parameters = { radix, tweak: bytes(tweak) };
  const found = Buffer.from(ff1Encrypt(bytes(key), parameters, Buffer.from(text))).toString();
  return found === encrypted && Buffer.from(ff1Decrypt(bytes(key), parameters, Buffer.from(encrypted))).toString() === text;
}

/** Shares are random, so that only joining has a known answer; what is split must join again. */
function isSharingRight({ method, threshold, prime: primeHex, parts, secret }: SharesAnswer): boolean {
  const prime = primeHex === undefined ? undefined : BigInt(`0x${primeHex}`);
  const given = parts.map(({ identifier, material }) => ({ identifier, material: bytes(material) }));
  if (!same(join(method, given, threshold, prime, secret.length / 2), secret)) return false;
  const made = split(method, bytes(secret), given.length, threshold, prime);
  return same(join(method, made.parts.slice(-threshold), threshold, made.primeField, secret.length / 2), secret);
}
