// Where in a message the decoder is, so that a refusal can say it.
import { Refusal } from '../refusal.ts';
import { tagName } from './names.ts';

/** The tags from the message down to the field at hand; entries deeper than that are left over from earlier siblings. */
export class Place {
  readonly #tags: number[] = [];

  /** @param depth 0 for the message itself */
  enter(depth: number, tag: number): void {
    this.#tags[depth] = tag;
  }

  /** @returns Refusal InvalidMessage beginning with the path, `RequestMessage/RequestHeader/BatchCount: …` */
  refusal(depth: number, message: string): Refusal {
    const path = this.#tags.slice(0, depth + 1).map(tagName);
    return invalid(path.length === 0 ? message : `${path.join('/')}: ${message}`);
  }
}

export function invalid(message: string): Refusal {
  return new Refusal('InvalidMessage', message);
}

/** A name the client sent, short enough for a message. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
