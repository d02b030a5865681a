// Operations of KMIP in the JSON of the KMIP profiles: builds the members of a request, and reads those of an answer.

/** A TTLV item in JSON: a structure has a list of items as its value and no type. */
export interface Node {
  readonly tag: string;
  readonly type?: string;
  readonly value: unknown;
}

/** An answer's members by tag; a repeated one is a list, and bytes are hexadecimal as KMIP writes them in JSON. */
export type Members = Readonly<Record<string, unknown>>;

export const text = (tag: string, value: string): Node => ({ tag, type: 'TextString', value });
export const integer = (tag: string, value: number): Node => ({ tag, type: 'Integer', value });
/** @param value the name of the value in the KMIP specification: `NISTKeyWrap`. Masks are integers */
export const enumeration = (tag: string, value: string): Node => ({ tag, type: 'Enumeration', value });
export const date = (tag: string, value: Date): Node => ({ tag, type: 'DateTime', value: `${value.toISOString().slice(0, 19)}Z` });
export const bool = (tag: string, value: boolean): Node => ({ tag, type: 'Boolean', value });
export const structure = (tag: string, ...value: readonly Node[]): Node => ({ tag, value });

export function operation(name: string, members: readonly Node[]): { readonly tag: string; readonly value: Node[] } {
  return { tag: name, value: [...members] };
}

/** Structures become objects. Values keep the form of the JSON: bytes are hexadecimal, dates ISO 8601. */
export function membersOf(nodes: readonly Node[]): Members {
  const members: Record<string, unknown> = {};
  for (const { tag, value } of nodes) {
    const plain = Array.isArray(value) ? membersOf(value as Node[]) : value;
    const before = members[tag];
    members[tag] = before === undefined ? plain : Array.isArray(before) ? [...before, plain] : [before, plain];
  }
  return members;
}
