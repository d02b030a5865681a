// What keys are for, and the kinds that the console proposes for it, the recommended one first.

/** @typedef {{ value: string, label: string, algorithm: string, bits?: number, curve?: string, isPair?: boolean }} Kind */
/** @typedef {{ value: string, label: string, text: string, kinds: readonly Kind[], mask: number, publicMask?: number, rotateDays: number }} Purpose masks are those of KMIP */

const AES = (/** @type {number} */ bits) => ({ value: `aes-${bits}`, label: `AES ${bits}`, algorithm: 'AES', bits });
const RSA = (/** @type {number} */ bits) => ({ value: `rsa-${bits}`, label: `RSA ${bits}`, algorithm: 'RSA', bits, isPair: true });
const EC = (/** @type {string} */ curve) => ({ value: curve, label: `ECDSA ${curve.replace('_', '-')}`, algorithm: 'EC', curve, isPair: true });
const HMAC = (/** @type {number} */ bits) => ({ value: `hmac-${bits}`, label: `HMAC-SHA${bits}`, algorithm: `HMAC_SHA${bits}`, bits });

/** @type {readonly Purpose[]} */
export const PURPOSES = [
  {
    ...{ value: 'encrypt', label: 'Encrypt data', text: 'Texts, files and records, by whoever holds the right to use the key' },
    ...{ mask: 0x4 | 0x8, rotateDays: 365, kinds: [AES(256), AES(192), AES(128)] },
  },
  {
    ...{ value: 'sign', label: 'Sign', text: 'Documents, releases and tokens; everybody can verify with the public key' },
    ...{ mask: 0x1, publicMask: 0x2, rotateDays: 730 },
    kinds: [
      EC('P_256'),
      { value: 'ed25519', label: 'Ed25519', algorithm: 'Ed25519', isPair: true },
      { value: 'ml-dsa-65', label: 'ML-DSA-65 (safe from quantum computers)', algorithm: 'MLDSA_65', isPair: true },
      EC('P_384'),
      RSA(3072),
      RSA(4096),
    ],
  },
  {
    ...{ value: 'mac', label: 'Authenticate messages', text: 'Show that a message is whole and from somebody who knows the key' },
    ...{ mask: 0x80 | 0x100, rotateDays: 365, kinds: [HMAC(256), HMAC(384), HMAC(512)] },
  },
  {
    ...{ value: 'wrap', label: 'Wrap other keys', text: 'Export and store keys encrypted by this one' },
    ...{ mask: 0x10 | 0x20, rotateDays: 0, kinds: [AES(256)] },
  },
  {
    ...{ value: 'receive', label: 'Receive secrets', text: 'Others encrypt with the public key; only the private key decrypts' },
    ...{ mask: 0x8 | 0x20, publicMask: 0x4 | 0x10, rotateDays: 730, kinds: [RSA(3072), RSA(4096)] },
  },
];
