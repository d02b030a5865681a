// Key management of JWE: how the content encryption key comes to the recipient (RFC 7518 section 4), by the name of its algorithm.
import { AGREEMENT, type KeyPurpose, oaepPurpose, WRAPPING } from './key-purpose.ts';
import { type Place, refuse } from './registered.ts';

interface Row {
  readonly name: string;
  /** Of its keys; undefined where they are those of the content encryption. */
  readonly purpose?: KeyPurpose;
}

/** `direct`: the key is the content encryption key. `agreement` may be followed by key wrapping. */
export type KeyManagement =
  | (Row & { readonly mode: 'direct' })
  | (Row & { readonly mode: 'oaep'; readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512' })
  /** @property wrapLength bytes of the wrapping key */
  | (Row & { readonly mode: 'wrap'; readonly wrapLength: number })
  | (Row & { readonly mode: 'agreement'; readonly wrapLength?: number });

/** By which a key comes to be known to the recipient with the message. */
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

/** Whether a key travels in the message: in `encrypted_key`. */
export function carriesKey(alg: KeyManagement): alg is KeyTransport {
  return alg.mode !== 'direct' && !(alg.mode === 'agreement' && alg.wrapLength === undefined);
}
