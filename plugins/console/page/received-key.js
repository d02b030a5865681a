// Turns a key that somebody brings, as PEM, JWK or base64, into a JWK (RFC 7517) for the server.
import { Refusal } from './api.js';
import { fromBase64url, toBase64url } from './bytes.js';

/** @typedef {Readonly<Record<string, unknown>>} Jwk */
/** @typedef {{ readonly value: string, readonly label: string, readonly alg: (bytes: number) => string, readonly pem?: RsaHashedImportParams | EcKeyImportParams | Algorithm, readonly uses?: readonly [KeyUsage, KeyUsage] }} Use `uses` of the private and the public key */

/** @param {string} hash */
const rsa = (hash) => /** @type {const} */ ({ name: 'RSASSA-PKCS1-v1_5', hash });
const SIGN = /** @type {const} */ (['sign', 'verify']);

/** What a key is for, by the names of RFC 7518; the length of a secret is part of some. @type {readonly Use[]} */
export const USES = [
  { value: 'gcm', label: 'Encrypt data (AES-GCM)', alg: (bytes) => `A${bytes * 8}GCM` },
  { value: 'kw', label: 'Wrap keys (AES key wrap)', alg: (bytes) => `A${bytes * 8}KW` },
  { value: 'HS256', label: 'Make MACs (HMAC with SHA-256)', alg: () => 'HS256' },
  ...['ES256', 'ES384', 'ES512'].map((name, at) => ({
    ...{ value: name, label: `Sign with ${name}`, alg: () => name, uses: SIGN },
    pem: { name: 'ECDSA', namedCurve: /** @type {string} */ (['P-256', 'P-384', 'P-521'][at]) },
  })),
  { value: 'EdDSA', label: 'Sign with Ed25519', alg: () => 'EdDSA', pem: { name: 'Ed25519' }, uses: SIGN },
  ...['RS256', 'PS256'].map((name) => ({ value: name, label: `Sign with RSA (${name})`, alg: () => name, pem: rsa('SHA-256'), uses: SIGN })),
  {
    value: 'RSA-OAEP-256',
    label: 'Encrypt keys with RSA (OAEP)',
    alg: () => 'RSA-OAEP-256',
    pem: { name: 'RSA-OAEP', hash: 'SHA-256' },
    uses: ['decrypt', 'encrypt'],
  },
];

/** @param {string} text @param {Use} use @returns {Promise<Jwk>} @throws {Refusal} that says what is wrong */
export async function receivedKey(text, use) {
  const alg = { alg: use.alg(0) };
  if (text.startsWith('{')) return { ...jwkIn(text), ...(use.pem ? alg : { alg: use.alg(secretBytes(jwkIn(text))) }) };
  if (text.startsWith('-----BEGIN ')) return { ...(await fromPem(text, use)), ...alg };
  if (use.pem) throw wrong('a private or public key is PEM or JWK');
  const bytes = bytesIn(text);
  return { kty: 'oct', k: toBase64url(bytes), alg: use.alg(bytes.length) };
}

/** @param {string} text @returns {Jwk} */
function jwkIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong('it begins like a JWK, but is not JSON');
  }
}

/** @param {Jwk} jwk */
const secretBytes = ({ k }) => (typeof k === 'string' ? bytesIn(k).length : 0);

/** @param {string} text */
function bytesIn(text) {
  try {
    return fromBase64url(text.replaceAll(/\s/g, ''));
  } catch {
    throw wrong('it is neither PEM, nor JWK, nor base64');
  }
}

/** @param {string} text @param {Use} use @returns {Promise<Jwk>} */
async function fromPem(text, { pem, uses, label }) {
  const [, kind = '', body = ''] = /-----BEGIN ([A-Z ]+)-----([\s\S]*?)-----END \1-----/.exec(text) ?? [];
  if (!pem || !uses) throw wrong('a secret key is base64 or JWK');
  if (kind !== 'PRIVATE KEY' && kind !== 'PUBLIC KEY')
    throw wrong('PEM must be PKCS #8 ("PRIVATE KEY") or SPKI ("PUBLIC KEY"); openssl pkcs8 -topk8 -nocrypt converts others');
  const isPrivate = kind === 'PRIVATE KEY';
  try {
    const key = await crypto.subtle.importKey(isPrivate ? 'pkcs8' : 'spki', bytesIn(body), pem, true, [uses[isPrivate ? 0 : 1]]);
    const { alg: _alg, ext: _ext, key_ops: _operations, ...members } = await crypto.subtle.exportKey('jwk', key);
    return { ...members };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw wrong(`it is not a key for: ${label}`);
  }
}

/** @param {string} what */
const wrong = (what) => new Refusal(0, `The key cannot be read: ${what}.`, 'KEY');
