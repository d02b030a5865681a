// Key management of JWE, by algorithm name: how the recipient obtains the content encryption key (RFC 7518 section 4).
import { AGREEMENT, oaepPurpose, WRAPPING } from './key-purpose.ts';
import { type AlgorithmRow, byName } from './row.ts';

/** `direct`: the key is the content encryption key itself. `agreement` may be combined with key wrapping. */
export type KeyManagement =
  | (AlgorithmRow & { readonly mode: 'direct' })
  | (AlgorithmRow & { readonly mode: 'oaep'; readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512' })
  /** @property wrapLength bytes of the wrapping key */
  | (AlgorithmRow & { readonly mode: 'wrap'; readonly wrapLength: number })
  | (AlgorithmRow & { readonly mode: 'agreement'; readonly wrapLength?: number });

/** The algorithms that deliver a key with the message or through it. */
export type KeyTransport = Exclude<KeyManagement, { readonly mode: 'direct' }>;

export const KEY_MANAGEMENTS: readonly KeyManagement[] = [
  // Its keys are those of the content encryption.
  { name: 'dir', kty: [], mode: 'direct' },
  { name: 'RSA-OAEP', kty: ['RSA'], mode: 'oaep', hash: 'sha1', purpose: oaepPurpose('sha1') },
  { name: 'RSA-OAEP-256', kty: ['RSA'], mode: 'oaep', hash: 'sha256', purpose: oaepPurpose('sha256') },
  { name: 'RSA-OAEP-384', kty: ['RSA'], mode: 'oaep', hash: 'sha384', purpose: oaepPurpose('sha384') },
  { name: 'RSA-OAEP-512', kty: ['RSA'], mode: 'oaep', hash: 'sha512', purpose: oaepPurpose('sha512') },
  { name: 'A128KW', kty: ['oct'], mode: 'wrap', wrapLength: 16, purpose: WRAPPING },
  { name: 'A192KW', kty: ['oct'], mode: 'wrap', wrapLength: 24, purpose: WRAPPING },
  { name: 'A256KW', kty: ['oct'], mode: 'wrap', wrapLength: 32, purpose: WRAPPING },
  { name: 'ECDH-ES', kty: ['EC', 'OKP'], mode: 'agreement', purpose: AGREEMENT },
  { name: 'ECDH-ES+A128KW', kty: ['EC', 'OKP'], mode: 'agreement', wrapLength: 16, purpose: AGREEMENT },
  { name: 'ECDH-ES+A192KW', kty: ['EC', 'OKP'], mode: 'agreement', wrapLength: 24, purpose: AGREEMENT },
  { name: 'ECDH-ES+A256KW', kty: ['EC', 'OKP'], mode: 'agreement', wrapLength: 32, purpose: AGREEMENT },
];

export const findKeyManagement = byName(KEY_MANAGEMENTS);

/** Whether the message contains a key, in `encrypted_key`. */
export function carriesKey(alg: KeyManagement): alg is KeyTransport {
  return alg.mode !== 'direct' && !(alg.mode === 'agreement' && alg.wrapLength === undefined);
}
