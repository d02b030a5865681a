// A key that lies on no token but is wrapped by one that does: how the token unwraps it, and what it becomes there.
import type { TokenKeyName, TokenMechanism, TokenUse } from '../api.ts';

export interface WrappedKey {
  /** The key on the token that unwraps it. */
  readonly by: TokenKeyName;
  readonly mechanism: TokenMechanism;
  readonly value: Uint8Array;
  readonly type: 'AES' | 'GENERIC' | 'RSA';
  readonly uses: readonly TokenUse[];
  /** Identifiers of the objects of the key and of the one that wraps it: it leaves the token when either is given up. */
  readonly of: readonly string[];
}
