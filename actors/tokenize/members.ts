// The members of a request's body: each is read as the type that the method needs; errors name the member.
import { isLosslessNumber } from 'lossless-json';
import { isLonger } from '../../text/code-points.ts';
import type { Json, JsonObject } from './json.ts';
import { refuse } from './refuse.ts';

/** Longer numbers only serve to keep the server busy. */
const MAX_NUMBER_CHARACTERS = 1_000;
/** Entries of a list, and characters of each entry. */
const MAX_ENTRIES = 10_000;
const MAX_ENTRY = 1_024;
/** Characters in the name of a method or a type. */
const MAX_NAME = 64;
const INTEGER = /^-?\d+$/;
const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

export class Members {
  readonly #body: JsonObject;

  /** Refuses missing and unknown members. */
  constructor(body: JsonObject, required: readonly string[], optional: readonly string[] = []) {
    this.#body = body;
    for (const name of Object.keys(body)) if (!required.includes(name) && !optional.includes(name)) refuse(`${quote(name)}: unknown member`);
    for (const name of required) if (!Object.hasOwn(body, name)) refuse(`${name}: is missing`);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#body, name);
  }

  /** @param most highest number of characters, if the limit of the body is not enough */
  text(name: string, most = Number.POSITIVE_INFINITY): string {
    return textOf(this.#body[name], name, most);
  }

  texts(name: string): readonly string[] {
    const value = this.#body[name];
    if (!Array.isArray(value)) return refuse(`${name}: must be an array of strings`);
    if (value.length > MAX_ENTRIES) refuse(`${name}: has more than ${MAX_ENTRIES} entries`);
    return value.map((item: Json, index) => textOf(item, `${name}[${index}]`, MAX_ENTRY));
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const value = this.text(name, MAX_NAME);
    return values.find((each) => each === value) ?? refuse(`${name}: must be one of ${values.join(', ')}`);
  }

  /** The text of a number as it was sent; its value fits into a double. */
  decimal(name: string): string {
    const value = this.#body[name];
    if (!isLosslessNumber(value)) return refuse(`${name}: must be a number`);
    if (value.value.length > MAX_NUMBER_CHARACTERS) refuse(`${name}: has more than ${MAX_NUMBER_CHARACTERS} characters`);
    if (!Number.isFinite(Number(value.value))) refuse(`${name}: is out of range`);
    return value.value;
  }

  number(name: string): number {
    return Number(this.decimal(name));
  }

  /** The text of a 64-bit integer without a fraction and an exponent. */
  integer(name: string): string {
    const text = this.decimal(name);
    if (!INTEGER.test(text)) refuse(`${name}: must be an integer without a fraction or an exponent`);
    const value = BigInt(text);
    if (value < LEAST || value > GREATEST) refuse(`${name}: must be a signed 64-bit integer`);
    return text;
  }
}

/** Refuses lone surrogates: they are not characters, and UTF-8 cannot express them. */
function textOf(value: Json | undefined, name: string, most: number): string {
  if (typeof value !== 'string') return refuse(`${name}: must be a string`);
  if (isLonger(value, most)) refuse(`${name}: has more than ${most} characters`);
  return value.isWellFormed() ? value : refuse(`${name}: is not valid Unicode`);
}

function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}...` : name);
}
