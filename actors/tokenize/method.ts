// A method by its members, and the answer to a request for it.
import { readObject } from './json.ts';
import { Members } from './members.ts';
import type { Random } from './random.ts';

export interface Method {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** @returns JSON text of the result */
  readonly run: (members: Members, random: Random) => string;
}

/** @returns JSON text of the answer: one object with the one member `result` */
export function answer({ required, optional, run }: Method, body: Uint8Array, random: Random): string {
  return `{"result":${run(new Members(readObject(body), required, optional), random)}}`;
}
