// Encrypts, signs and authenticates with a key of the server, in the compact forms of JOSE (RFC 7515, RFC 7516), which any JOSE library reads.
import { ask, Refusal } from './api.js';
import { fromBase64url, toBase64url, toText } from './bytes.js';
import { memberOf } from './kmip.js';

const BY_CURVE = /** @type {Readonly<Record<string, string>>} */ ({
  ...{ P_256: 'ES256', P_384: 'ES384', P_521: 'ES512', SECP256K1: 'ES256K' },
  ...{ CURVEED25519: 'EdDSA', CURVEED448: 'EdDSA' },
});

/** @typedef {import('./managed-object.js').ManagedObject} ManagedObject */

/** The CryptographicParameters of what a key was made for, as it takes nothing else. @param {ManagedObject} object @param {string} member */
const madeFor = ({ nodes }, member) => String(memberOf(memberOf(nodes, 'CryptographicParameters') ?? [], member) ?? '').replaceAll('_', '');

/** @param {ManagedObject} object @returns {string | undefined} the digits of SHA-1, SHA-256 and so on */
const hashOf = (object) => /SHA(1|256|384|512)(?!\d)/.exec(`${madeFor(object, 'HashingAlgorithm')} ${madeFor(object, 'DigitalSignatureAlgorithm')}`)?.[1];

/** @param {ManagedObject} object @returns {string | undefined} the algorithm of its signatures */
export function signatureOf(object) {
  const { algorithm, curve } = object;
  if (algorithm === 'RSA') return `${/WithRSA/.test(madeFor(object, 'DigitalSignatureAlgorithm')) ? 'RS' : 'PS'}${hashOf(object) ?? 256}`;
  if (/^Ed(25519|448)$/.test(algorithm)) return 'EdDSA';
  if (/^ML_?DSA_\d+$/.test(algorithm)) return `ML-DSA-${algorithm.slice(-2)}`;
  return /^EC(DSA)?$/.test(algorithm) ? BY_CURVE[curve] : undefined;
}

/** @param {ManagedObject} object */
export const macOf = ({ algorithm }) => (/^HMAC_SHA(256|384|512)$/.test(algorithm) ? `HS${algorithm.slice(-3)}` : undefined);

/** @param {ManagedObject} object @returns {{ alg: string, enc: string } | undefined} */
export function encryptionOf(object) {
  const { algorithm, bits } = object;
  const isCbc = bits >= 256 && madeFor(object, 'BlockCipherMode') === 'CBC';
  if (algorithm === 'AES') return { alg: 'dir', enc: isCbc ? `A${bits / 2}CBC-HS${bits}` : `A${bits}GCM` };
  const hash = hashOf(object) ?? '256';
  return algorithm === 'RSA' ? { alg: hash === '1' ? 'RSA-OAEP' : `RSA-OAEP-${hash}`, enc: 'A256GCM' } : undefined;
}

/** @param {ManagedObject} object @param {Uint8Array} data @returns {Promise<string>} a compact JWE */
export async function encrypt(object, data) {
  const { body } = await ask('POST', '/v1/crypto/encrypt', { kid: object.id, ...encryptionOf(object), data: toBase64url(data) });
  return [body.protected, body.encrypted_key ?? '', body.iv, body.ciphertext, body.tag].join('.');
}

/** @param {string} jwe @returns {Promise<Uint8Array>} */
export async function decrypt(jwe) {
  const [header, key, iv, ciphertext, tag] = partsOf(jwe, 5, 'an encrypted text');
  const { body } = await ask('POST', '/v1/crypto/decrypt', { protected: header, encrypted_key: key, iv, ciphertext, tag });
  return fromBase64url(body.data);
}

/** @param {ManagedObject} object @param {Uint8Array} data @returns {Promise<string>} a compact JWS */
export async function sign(object, data) {
  const payload = toBase64url(data);
  const { body } = await ask('POST', '/v1/crypto/sign', { kid: object.id, alg: signatureOf(object), data: payload });
  return `${body.protected}.${payload}.${body.signature}`;
}

/** @param {string} jws @returns {Promise<{ isValid: boolean, data: Uint8Array, kid: string }>} `kid`: the key of the signature, which its header names */
export async function verify(jws) {
  const [header = '', payload = '', signature] = partsOf(jws, 3, 'a signed text');
  const { body } = await ask('POST', '/v1/crypto/verify', { protected: header, data: payload, signature });
  return { isValid: body.valid, data: fromBase64url(payload), kid: JSON.parse(toText(fromBase64url(header)) ?? '{}').kid };
}

/** @param {ManagedObject} object @param {Uint8Array} data @returns {Promise<string>} base64url */
export async function mac(object, data) {
  return (await ask('POST', '/v1/crypto/mac', { kid: object.id, alg: macOf(object), data: toBase64url(data) })).body.mac;
}

/** @param {ManagedObject} object @param {Uint8Array} data @param {string} given @returns {Promise<boolean>} */
export async function verifyMac(object, data, given) {
  return (await ask('POST', '/v1/crypto/mac', { kid: object.id, alg: macOf(object), data: toBase64url(data), mac: given })).body.valid;
}

/** @param {string} text @param {number} count @param {string} what */
function partsOf(text, count, what) {
  const parts = text.replaceAll(/\s/g, '').split('.');
  if (parts.length !== count || parts.some((part) => !/^[A-Za-z0-9_-]*$/.test(part)))
    throw new Refusal(0, `This is not ${what} as it is made here: ${count} parts of letters, digits, - and _, with dots between them.`, 'FORM');
  return parts;
}
