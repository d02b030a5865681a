// Key management of JWE, by algorithm name: how the recipient obtains the content encryption key (RFC 7518 section 4).
import { AGREEMENT, type KeyPurpose, oaepPurpose, WRAPPING } from './key-purpose.ts';
import { type Place, refuse } from './registered.ts';

interface Row {
  readonly name: string;
  /** The purpose of the keys; undefined if the content encryption determines it. */
  readonly purpose?: KeyPurpose;
}

/** `direct`: the key is the content encryption key itself. `agreement` may be combined with key wrapping. */
export type KeyManagement =
  | (Row & { readonly mode: 'direct' })
  | (Row & { readonly mode: 'oaep'; readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512' })
  /** @property wrapLength bytes of the wrapping key */
  | (Row & { readonly mode: 'wrap'; readonly wrapLength: number })
  | (Row & { readonly mode: 'agreement'; readonly wrapLength?: number });

/** The algorithms that deliver a key with the message or through it. */
export type KeyTransport = Exclude<KeyManagement, { readonly mode: 'direct' }>;

const ALGORITHMS: ReadonlyMap<string, KeyManagement> = new Map(
  (
    [
      { name: 'dir', mode: 'direct' },
      { name: 'RSA-OAEP', mode: 'oaep', hash: 'sha1', purpose: oaepPurpose('sha1') },
      { name: 'RSA-OAEP-256', mode: 'oaep', hash: 'sha256', purpose: oaepPurpose('sha256') },
      { name: 'RSA-OAEP-384', mode: 'oaep', hash: 'sha384', purpose: oaepPurpose('sha384') },
      { name: 'RSA-OAEP-512', mode: 'oaep', hash: 'sha512', purpose: oaepPurpose('sha512') },
      { name: 'A128KW', mode: 'wrap', wrapLength: 16, purpose: WRAPPING },
      { name: 'A192KW', mode: 'wrap', wrapLength: 24, purpose: WRAPPING },
      { name: 'A256KW', mode: 'wrap', wrapLength: 32, purpose: WRAPPING },
      { name: 'ECDH-ES', mode: 'agreement', purpose: AGREEMENT },
      { name: 'ECDH-ES+A128KW', mode: 'agreement', wrapLength: 16, purpose: AGREEMENT },
      { name: 'ECDH-ES+A192KW', mode: 'agreement', wrapLength: 24, purpose: AGREEMENT },
      { name: 'ECDH-ES+A256KW', mode: 'agreement', wrapLength: 32, purpose: AGREEMENT },
    ] satisfies KeyManagement[]
  ).map((each) => [each.name, each]),
);

export function findKeyManagement(name: string): KeyManagement | undefined {
  return ALGORITHMS.get(name);
}

/** @throws Problem bad_request or unsupported_algorithm */
export function keyManagement(name: string, place: Place): KeyManagement {
  const found = ALGORITHMS.get(name);
  if (!found) throw refuse('alg', name, place);
  return found;
}

/** Whether the message contains a key, in `encrypted_key`. */
export function carriesKey(alg: KeyManagement): alg is KeyTransport {
  return alg.mode !== 'direct' && !(alg.mode === 'agreement' && alg.wrapLength === undefined);
}
