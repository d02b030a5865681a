// A call on a slot: work that may run in another thread, or in that of the instance only.
import type { TokenKeyName } from '../api.ts';
import type { Token } from '../token/token.ts';
import type { Work } from './work.ts';

export interface Job<T> {
  readonly work: Work | undefined;
  /** The key that it needs the handle of. */
  readonly key: TokenKeyName | undefined;
  here(token: Token): T;
  /** It has the turn of the slot's queue. */
  readonly hasTurn?: boolean | undefined;
  /** It has run once, and is worth a second time, not a third. */
  readonly isAgain?: boolean | undefined;
}
