// A page of a list as it crosses threads.
import type { Page } from '../store/page.ts';
import { move, owned } from './bytes.ts';

/** A page as the bytes of its JSON text: they move to another thread, where objects would be copies on its heap until it is collected. */
export interface EncodedPage<T> extends Omit<Page<T>, 'items'> {
  /** The items, with commas between. */
  readonly json: Uint8Array;
  readonly count: number;
}

export function encodePage<T>({ items, ...rest }: Page<T>): EncodedPage<T> {
  return { ...rest, count: items.length, json: move(owned(Buffer.from(JSON.stringify(items).slice(1, -1)))) };
}
