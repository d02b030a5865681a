// What a view or a command asked the server to show something: how many requests, how long the slowest took, and how many rows came.

export interface Answered {
  /** From the request to the end of its answer. */
  readonly ms: number;
  readonly rows: number;
}

/** Members of answers that hold a list. */
const LISTS: readonly string[] = ['events', 'keys', 'tokens', 'session_ids', 'tombstones'];

/** @param text an answer of the API @returns the entries of the list that it holds; 0 without one */
export function rowsIn(text: string): number {
  const value = parsed(text);
  if (Array.isArray(value)) return value.length;
  const { data = value, tag } = (value ?? {}) as { data?: Record<string, unknown>; tag?: string };
  if (tag !== undefined) return identifiersIn(text);
  const list = LISTS.map((name) => (data as Record<string, unknown> | undefined)?.[name]).find(Array.isArray);
  return list?.length ?? 0;
}

/** KMIP's Locate answers with identifiers; answers about one object have one each. */
const identifiersIn = (text: string): number => text.split('"UniqueIdentifier"').length - 1;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
