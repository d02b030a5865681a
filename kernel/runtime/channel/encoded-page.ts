// Encodes a page of a list for its way to another thread.
import type { Page } from '../../store/page.ts';
import { move, toOwned } from './bytes.ts';

/** A page as bytes of JSON text, which can move to another thread. Objects would be copied and stay on its heap until garbage collection. */
export interface EncodedPage<T> extends Omit<Page<T>, 'items'> {
  /** The items, separated by commas, without brackets. */
  readonly json: Uint8Array;
  readonly count: number;
}

export function encodePage<T>({ items, ...rest }: Page<T>): EncodedPage<T> {
  return { ...rest, count: items.length, json: move(toOwned(Buffer.from(JSON.stringify(items).slice(1, -1)))) };
}
