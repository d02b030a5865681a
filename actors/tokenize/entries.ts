// Finds listed entries in a text in one pass, whatever their number and length (Aho and Corasick, 1975).
import { type Unit, unitsOf } from './units.ts';

/** An occurrence of an entry. */
export interface Hit {
  /** The entry in its normalized spelling. */
  readonly entry: string;
  /** UTF-16 indices into the text. */
  readonly start: number;
  readonly end: number;
}

/** A state of the automaton: units that one or more entries begin with. */
interface State {
  readonly next: Map<string, State>;
  /** Number of units. */
  readonly length: number;
  /** The longest other state that these units end with. */
  fallback: State | undefined;
  /** The longest entry, other than this state's own, that these units end with. */
  shorter: State | undefined;
  /** Set if an entry ends in this state. */
  entry: string | undefined;
}

/**
 * Occurrences from left to right, the longest at each position, without overlaps. Entries match as sequences of whole words and signs, so an entry
 * that begins or ends with a word matches only at the borders of words. White space inside an entry matches white space of any kind and length; white space around an entry is ignored.
 */
export function findEntries(text: string, entries: readonly string[]): Hit[] {
  const start = automatonOf(entries);
  const units = [...unitsOf(text)];
  const longest = new Map<number, Hit & { readonly after: number }>();
  let state = start;
  for (const [index, { key, end }] of units.entries()) {
    state = follow(start, state, key);
    for (let found: State | undefined = state; found; found = found.shorter) {
      if (found.entry === undefined) continue;
      const first = index + 1 - found.length;
      // Ends are visited in order, so the last one set is the longest that begins at this position.
      longest.set(first, { entry: found.entry, start: (units[first] as Unit).start, end, after: index + 1 });
    }
  }
  return keepApart(longest, units.length);
}

function keepApart(longest: ReadonlyMap<number, Hit & { readonly after: number }>, units: number): Hit[] {
  const hits: Hit[] = [];
  for (let at = 0; at < units; ) {
    const hit = longest.get(at);
    if (hit) hits.push(hit);
    at = hit?.after ?? at + 1;
  }
  return hits;
}

function automatonOf(entries: readonly string[]): State {
  const start = newState(0);
  for (const entry of entries) addEntry(start, entry);
  // Breadth first: the fallback of a state is shorter, so it is complete before the state needs it.
  const waiting = [...start.next.values()];
  for (const state of waiting) {
    state.fallback ??= start;
    for (const [key, child] of state.next) {
      const fallback = follow(start, state.fallback, key);
      child.fallback = fallback;
      child.shorter = fallback.entry === undefined ? fallback.shorter : fallback;
      waiting.push(child);
    }
  }
  return start;
}

function addEntry(start: State, entry: string): void {
  const keys = [...unitsOf(entry.trim())].map(({ key }) => key);
  if (keys.length === 0) return;
  let state = start;
  for (const key of keys) {
    const child = state.next.get(key) ?? newState(state.length + 1);
    state.next.set(key, child);
    state = child;
  }
  state.entry = keys.join('');
}

function newState(length: number): State {
  return { next: new Map(), length, fallback: undefined, shorter: undefined, entry: undefined };
}

/** The state after one more unit. */
function follow(start: State, from: State, key: string): State {
  for (let state: State | undefined = from; state; state = state.fallback) {
    const child = state.next.get(key);
    if (child) return child;
  }
  return start;
}
