// The keys of a slot that were unwrapped on the token: session objects that stay there for a while, so that not each use unwraps them again.
import type pkcs11js from 'pkcs11js';
import type { TokenKeyName } from '../api.ts';
import { cacheName } from './key-name.ts';
import { MechanismMissing, toMechanism } from './mechanism.ts';
import { isStaleObject, isStaleSession, nameOf, returnValue } from './return-value.ts';
import type { Sessions } from './sessions.ts';
import { changed, unwrappedTemplate } from './template.ts';
import type { Token } from './token.ts';
import type { WrappedKey } from './wrapped-key.ts';

/** Tokens have little room for objects. */
const MAX_KEPT = 64;
/** However often it is used: the wrapping key may be gone by the hand of another tool. */
const KEPT_MS = 300_000;
const CKF_UNWRAP = 0x40000;

/** The name of a key that comes wrapped. */
export type WrappedKeyName = TokenKeyName & { readonly wrapped: WrappedKey };

export const isWrapped = (key: TokenKeyName): key is WrappedKeyName => key.wrapped !== undefined;

/** The token does not unwrap it. The message is the return value. */
export class UnwrapRefused extends Error {}

interface Kept {
  readonly key: WrappedKeyName;
  readonly handle: pkcs11js.Handle;
  /** Milliseconds, monotonic. */
  readonly since: number;
}

/** @throws MechanismMissing if the token does not unwrap keys with it */
export function requireUnwrapping(token: Token, slot: pkcs11js.Handle, { mechanism: { name } }: WrappedKey): void {
  const { mechanism } = toMechanism({ name }, token);
  if ((token.library.C_GetMechanismInfo(slot, mechanism).flags & CKF_UNWRAP) === 0) throw new MechanismMissing(`${name} that unwraps keys`);
}

/** The key lives as long as the session, and nothing reads its value. */
export function unwrapInto(token: Token, session: pkcs11js.Handle, { kind, wrapped }: WrappedKeyName): pkcs11js.Handle {
  const { by, mechanism, value } = wrapped;
  const template = changed(unwrappedTemplate(wrapped), token.quirks.attributes, kind);
  return token.library.C_UnwrapKey(session, toMechanism(mechanism, token), token.handle(by), Buffer.from(value), template);
}

/** After it no operation is under way in the session, so that it need not be dropped. */
function orRefused<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (returnValue(error) === undefined || isStaleObject(error) || isStaleSession(error)) throw error;
    throw new UnwrapRefused(nameOf(error));
  }
}

export class UnwrappedKeys {
  readonly #sessions: Sessions;
  readonly #monotonic: () => number;
  #session: pkcs11js.Handle | undefined;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();

  /** @param monotonic milliseconds @param sessions of the slot */
  constructor(monotonic: () => number, sessions: Sessions) {
    this.#monotonic = monotonic;
    this.#sessions = sessions;
  }

  /** The session that the keys live in, which makes no calls but these; undefined if there are none. */
  get session(): pkcs11js.Handle | undefined {
    return this.#session;
  }

  unwrap(token: Token, key: WrappedKeyName): pkcs11js.Handle {
    if (this.#session === undefined || !this.#sessions.has(this.#session)) {
      this.#kept.clear();
      this.#session = this.#sessions.open();
    }
    const handle = orRefused(() => unwrapInto(token, this.#session as pkcs11js.Handle, key));
    this.#kept.set(cacheName(key), { key, handle, since: this.#monotonic() });
    return handle;
  }

  /** Those that have been there for long enough, or are too many. */
  due(): WrappedKeyName[] {
    const kept = [...this.#kept.values()];
    return kept.filter(({ since }, at) => at < kept.length - MAX_KEPT || this.#monotonic() - since > KEPT_MS).map(({ key }) => key);
  }

  /** Those that a key on the token has wrapped. */
  wrappedBy(by: TokenKeyName): WrappedKeyName[] {
    return this.#keys().filter(({ wrapped }) => cacheName(wrapped.by) === cacheName(by));
  }

  /** Those of an object, or that it has wrapped. */
  of(id: string): WrappedKeyName[] {
    return this.#keys().filter(({ wrapped }) => wrapped.of.includes(id));
  }

  #keys(): WrappedKeyName[] {
    return [...this.#kept.values()].map(({ key }) => key);
  }

  destroy({ library }: Token, key: TokenKeyName): void {
    const kept = this.#kept.get(cacheName(key));
    this.#kept.delete(cacheName(key));
    if (kept && this.#session !== undefined && this.#sessions.has(this.#session)) library.C_DestroyObject(this.#session, kept.handle);
    if (this.#kept.size === 0) this.end();
  }

  /** Destroys all of them with their session, once no call uses one. */
  end(): void {
    this.#kept.clear();
    if (this.#session !== undefined) this.#sessions.close(this.#session);
    this.#session = undefined;
  }
}
