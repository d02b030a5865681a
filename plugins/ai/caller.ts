// Names who asks a model: requests of different callers take turns there.
import type { Request } from '../../kernel/http/route.ts';
import { sourceOf } from '../../kernel/http/source.ts';

/** `[ai] open` serves callers without a name: those are told apart by where they come from. */
export function callerOf({ caller, address }: Pick<Request, 'caller' | 'address'>): string {
  return caller ? `${caller.realm ?? ''}/${caller.username}` : sourceOf(address);
}
