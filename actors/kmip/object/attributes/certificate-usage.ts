// What a certificate may be used for: its keyUsage as a Cryptographic Usage Mask (KMIP 1.4 table 96), or else the uses of its key.
import type { KeyObject } from 'node:crypto';
import { contentOf, DER, hasNamedBit, readElement } from '../../../../crypto/der.ts';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { EXTENSION, KEY_USAGE } from '../../../../crypto/x509/certificate-extension.ts';
import type { CertificateFacts } from '../../../../crypto/x509/certificate-facts.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';

const BIT = MASK.CryptographicUsageMask;

/** For pairs such as `Sign or Verify`, the half that the public key performs. */
const OF_USAGE: Readonly<Record<string, number>> = {
  digitalSignature: BIT.Verify,
  nonRepudiation: BIT.ContentCommitmentNonRepudiation,
  keyEncipherment: BIT.WrapKey,
  dataEncipherment: BIT.Encrypt,
  keyAgreement: BIT.KeyAgreement,
  keyCertSign: BIT.CertificateSign,
  cRLSign: BIT.CRLSign,
  encipherOnly: BIT.Encrypt,
  decipherOnly: BIT.Decrypt,
};

/** @param ofKey the mask of the public key, if this server has the key @throws Refusal InvalidField for a malformed keyUsage */
export function certificateUsage({ extensions, publicKey }: CertificateFacts, ofKey: number | undefined): number {
  const usage = extensions.find(({ oid }) => oid === EXTENSION.keyUsage);
  if (usage) return maskOf(usage.value);
  return ofKey === undefined || (ofKey & BIT.Unrestricted) !== 0 ? usesOf(publicKey) : ofKey;
}

function maskOf(value: Buffer): number {
  const bits = contentOf(readElement(value, 'keyUsage'), DER.bits, 'keyUsage');
  return KEY_USAGE.reduce((mask, name, at) => (hasNamedBit(bits, at) ? mask | (OF_USAGE[name] as number) : mask), 0);
}

function usesOf(key: KeyObject): number {
  const { algorithm } = keyFacts(key);
  if (algorithm === 'RSA') return BIT.Verify | BIT.Encrypt | BIT.WrapKey;
  if (algorithm === 'EC') return BIT.Verify | BIT.Encrypt | BIT.WrapKey | BIT.KeyAgreement;
  if (algorithm === 'ECDH') return BIT.Encrypt | BIT.WrapKey | BIT.KeyAgreement;
  if (algorithm === 'DH') return BIT.KeyAgreement;
  // ML-KEM encrypts nothing but a new secret: see asymmetric.ts.
  return algorithm.startsWith('MLKEM') ? BIT.Encrypt : BIT.Verify;
}
