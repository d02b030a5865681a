// Finds listed entries in a text in one pass, whatever their number and length (Aho and Corasick, 1975).
import { type Unit, Units } from './units.ts';

/** An occurrence of an entry. */
export interface Hit {
  /** The entry in its normalized spelling. */
  readonly entry: string;
  /** UTF-16 indices into the text. */
  readonly start: number;
  readonly end: number;
}

interface Found {
  readonly entry: string;
  /** Index of the unit after its last one. */
  readonly after: number;
}

/** A state of the automaton: units that one or more entries begin with. */
interface State {
  /** By the key of the unit. Made with the first: in most states of a long list an entry just ends. */
  next: Map<string, State> | undefined;
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
  const units = new Units();
  const start = automatonOf(entries, units);
  const all = units.of(text);
  /** By the index of its first unit, the longest entry that begins there. */
  const longest = new Array<Found | undefined>(all.length);
  let state = start;
  for (let after = 1; after <= all.length; after++) {
    state = follow(start, state, (all[after - 1] as Unit).key);
    for (let ending: State | undefined = state; ending; ending = ending.shorter) {
      // Ends are visited in order, so the last one set is the longest that begins at this position.
      if (ending.entry !== undefined) longest[after - ending.length] = { entry: ending.entry, after };
    }
  }
  return keepApart(longest, all);
}

function keepApart(longest: readonly (Found | undefined)[], units: readonly Unit[]): Hit[] {
  const hits: Hit[] = [];
  for (let at = 0; at < units.length; ) {
    const found = longest[at];
    if (found) hits.push({ entry: found.entry, start: (units[at] as Unit).start, end: (units[found.after - 1] as Unit).end });
    at = found?.after ?? at + 1;
  }
  return hits;
}

function automatonOf(entries: readonly string[], units: Units): State {
  const start = newState(0);
  for (const entry of entries) addEntry(start, units.of(entry.trim()));
  // Breadth first: the fallback of a state is shorter, so it is complete before the state needs it.
  const waiting = [...(start.next?.values() ?? [])];
  for (const state of waiting) {
    state.fallback ??= start;
    if (!state.next) continue;
    for (const [key, child] of state.next) {
      const fallback = follow(start, state.fallback, key);
      child.fallback = fallback;
      child.shorter = fallback.entry === undefined ? fallback.shorter : fallback;
      waiting.push(child);
    }
  }
  return start;
}

function addEntry(start: State, units: readonly Unit[]): void {
  if (units.length === 0) return;
  let state = start;
  for (const { key } of units) {
    state.next ??= new Map();
    const child = state.next.get(key) ?? newState(state.length + 1);
    state.next.set(key, child);
    state = child;
  }
  state.entry = units.map(({ key }) => key).join('');
}

function newState(length: number): State {
  return { next: undefined, length, fallback: undefined, shorter: undefined, entry: undefined };
}

/** The state after one more unit. */
function follow(start: State, from: State, key: string): State {
  for (let state: State | undefined = from; state; state = state.fallback) {
    const child = state.next?.get(key);
    if (child) return child;
  }
  return start;
}
