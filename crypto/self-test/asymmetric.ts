// Computes the known answers of algorithms with key pairs: signatures, decryption, key agreement and encapsulation.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { decrypt, encrypt } from '../cipher/asymmetric-encrypt.ts';
import { hash } from '../hash.ts';
import { decapsulate, encapsulate } from '../key/encapsulation.ts';
import { agree } from '../key/key-agreement.ts';
import { exportRaw, importRaw } from '../key/raw-key.ts';
import { isSlowSigner, sign, signInPool, verify } from '../signature/sign.ts';
import type { AgreementAnswer, AnswerKey, AsymmetricAnswer, DecryptionAnswer, EncapsulationAnswer, SignatureAnswer } from './known-answer.ts';
import { bytes, same } from './symmetric.ts';

export async function isAsymmetricRight(answer: AsymmetricAnswer): Promise<boolean> {
  switch (answer.kind) {
    case 'signature':
      return isSignatureRight(answer);
    case 'decryption':
      return isDecryptionRight(answer);
    case 'agreement':
      return isAgreementRight(answer);
    case 'encapsulation':
      return isEncapsulationRight(answer);
  }
}

async function isSignatureRight({ parameters, message, publicKey, privateKey, signature, isFixed, publicKeyDigest }: SignatureAnswer): Promise<boolean> {
  const data = bytes(message);
  const isVerified = (key: KeyObject, value: Uint8Array) =>
    verify(key, parameters, { data }, value) && !verify(key, parameters, { data: changed(data) }, value);
  if (publicKey && signature !== undefined && !isVerified(publicKeyOf(publicKey), bytes(signature))) return false;
  if (!privateKey) return true;
  const own = privateKeyOf(privateKey);
  const half = createPublicKey(own);
  if (publicKeyDigest !== undefined && !same(hash('SHA_256', exportRaw(half)), publicKeyDigest)) return false;
  const made = isSlowSigner(own) ? await signInPool(own, parameters, data) : sign(own, parameters, { data });
  return isVerified(half, made) && (!isFixed || same(made, signature));
}

function isDecryptionRight({ parameters, privateKey, encrypted, data }: DecryptionAnswer): boolean {
  const key = privateKeyOf(privateKey);
  if (!same(decrypt(key, parameters, bytes(encrypted)), data)) return false;
  return same(decrypt(key, parameters, encrypt(createPublicKey(key), parameters, bytes(data))), data);
}

function isAgreementRight({ privateKey, publicKey, secret }: AgreementAnswer): boolean {
  return same(agree(privateKeyOf(privateKey), publicKeyOf(publicKey)), secret);
}

function isEncapsulationRight({ privateKey, encrypted, secret }: EncapsulationAnswer): boolean {
  const key = privateKeyOf(privateKey);
  if (!same(decapsulate(key, bytes(encrypted)), secret)) return false;
  const { sharedSecret, ciphertext } = encapsulate(createPublicKey(key));
  return Buffer.from(decapsulate(key, ciphertext)).equals(sharedSecret);
}

function privateKeyOf(key: AnswerKey): KeyObject {
  if ('der' in key) return createPrivateKey({ key: bytes(key.der), format: 'der', type: 'pkcs8' });
  return importRaw('PrivateKey', bytes(key.raw), key.of, key.curve);
}

function publicKeyOf(key: AnswerKey): KeyObject {
  if ('der' in key) return createPublicKey({ key: bytes(key.der), format: 'der', type: 'spki' });
  return importRaw('PublicKey', bytes(key.raw), key.of, key.curve);
}

/** Another message: one bit differs, or there is one byte where there was none. */
function changed(data: Buffer): Buffer {
  const other = data.length === 0 ? Buffer.alloc(1) : Buffer.from(data);
  other[0] = (other[0] as number) ^ 1;
  return other;
}
