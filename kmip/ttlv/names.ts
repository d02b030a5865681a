// Translates between names and codes, and compares names without regard to case and separators.
import { TAG_ALIAS } from './alias.ts';
import { COMPACT_TAGS } from './compact.ts';
import { TAG } from './tag.ts';

/** All spellings of a name, such as `SHA-256`, `sha_256` and `SHA256`, fold to the same text. */
export function foldName(name: string): string {
  return name.replaceAll(/[ _\-./]/g, '').toLowerCase();
}

/** A cheap hash of a name in a buffer: a few bits that distinguish most names of a table. */
function sample(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  const at = (index: number) => bytes[from + index] as number;
  return length | (at(0) << 6) | (at(length >> 1) << 11) | (at(length - 1) << 16) | ((at(length >> 2) & 0x1f) << 24);
}

interface Entry {
  readonly name: Uint8Array;
  readonly code: number;
}

/** The names and codes of one table. A search for a code tries the exact name first, which costs one lookup, and then the folded name. */
export class Names {
  readonly #names = new Map<number, string>();
  readonly #compact = new Map<number, string>();
  readonly #exact = new Map<string, number>();
  readonly #folded = new Map<string, number>();
  readonly #sampled = new Map<number, Entry[]>();

  /**
   * @param aliases other spellings, each with the name that it stands for; accepted in requests, never written
   * @param compact names of the compact spelling, if they differ
   */
  constructor(codes: Readonly<Record<string, number>>, aliases: Readonly<Record<string, string>> = {}, compact: Readonly<Record<string, number>> = {}) {
    for (const [name, code] of Object.entries(codes)) {
      this.#names.set(code, name);
      this.#add(name, code);
    }
    for (const [alias, name] of Object.entries(aliases)) this.#add(alias, codes[name] as number);
    for (const [name, code] of Object.entries(compact)) {
      this.#compact.set(code, name);
      this.#add(name, code);
    }
  }

  #add(name: string, code: number): void {
    this.#exact.set(name, code);
    this.#folded.set(foldName(name), code);
    const bytes = Buffer.from(name);
    const key = sample(bytes, 0, bytes.length);
    this.#sampled.set(key, [...(this.#sampled.get(key) ?? []), { name: bytes, code }]);
  }

  name(code: number): string | undefined {
    return this.#names.get(code);
  }

  /** The name in the compact spelling. */
  compactName(code: number): string | undefined {
    return this.#compact.get(code) ?? this.#names.get(code);
  }

  code(name: string): number | undefined {
    return this.#exact.get(name) ?? this.#folded.get(foldName(name));
  }

  /** The code of a name in a buffer; finds exact names only. */
  codeAt(bytes: Uint8Array, from: number, to: number): number | undefined {
    const entries = from < to ? this.#sampled.get(sample(bytes, from, to)) : undefined;
    if (entries !== undefined) for (const { name, code } of entries) if (name.length === to - from && isAt(name, bytes, from)) return code;
    return undefined;
  }

  entries(): IterableIterator<[number, string]> {
    return this.#names.entries();
  }
}

function isAt(name: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let index = 0; index < name.length; index++) if (name[index] !== bytes[from + index]) return false;
  return true;
}

export const TAG_NAMES = new Names(TAG, TAG_ALIAS, COMPACT_TAGS);

/** The name of a tag, or its number in hexadecimal if it has no name. */
export function tagName(tag: number): string {
  return TAG_NAMES.name(tag) ?? `0x${tag.toString(16).toUpperCase().padStart(6, '0')}`;
}

/** Whether a message may have this tag: those of the specification are 42xxxx, extensions 54xxxx (2.1 section 10.1.1). */
export function isTag(tag: number): boolean {
  return tag >>> 16 === 0x42 || tag >>> 16 === 0x54;
}

/** A tag by its name or by its number (`0x420094`). */
export function tagOf(name: string): number | undefined {
  const known = TAG_NAMES.code(name);
  if (known !== undefined) return known;
  if (!/^0x[0-9a-f]{6}$/i.test(name)) return undefined;
  const tag = Number(name);
  return isTag(tag) ? tag : undefined;
}
