// Tracks the decoder's position in a message, so that error messages can show it.
import { Refusal } from '../refusal.ts';
import { tagName } from './names.ts';

/** The tags from the message down to the current field; deeper entries are left over from earlier siblings. */
export class Place {
  readonly #tags: number[] = [];

  /** @param depth 0 for the message itself */
  enter(depth: number, tag: number): void {
    this.#tags[depth] = tag;
  }

  /** @returns Refusal InvalidMessage whose text begins with the path: `RequestMessage/RequestHeader/BatchCount: …` */
  refusal(depth: number, message: string): Refusal {
    const path = this.#tags.slice(0, depth + 1).map(tagName);
    return invalid(path.length === 0 ? message : `${path.join('/')}: ${message}`);
  }
}

export function invalid(message: string): Refusal {
  return new Refusal('InvalidMessage', message);
}

/** A name that the client sent, in quotes and cut to 64 characters, for an error message. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
