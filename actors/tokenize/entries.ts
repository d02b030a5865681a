// Finds listed entries in a text in one pass, whatever their number and length (Aho and Corasick, 1975).
import { isWord, type Unit, Units } from './units.ts';

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

/** A hit by the indices of its units. */
interface Run {
  readonly entry: string;
  readonly from: number;
  readonly after: number;
}

/**
 * Occurrences from left to right, the longest at each position, without overlaps. Entries match as sequences of whole words and signs, so an entry
 * that begins or ends with a word matches only at the borders of words. White space inside an entry matches white space of any kind and length; white space around an entry is ignored.
 * Of entries that overlap, such as "New York" and "York Hotel", no word is left: the first takes what follows.
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
  const runs: Run[] = [];
  for (let at = 0; at < units.length; ) {
    const found = longest[at];
    if (found) runs.push({ entry: found.entry, from: at, after: found.after });
    at = found?.after ?? at + 1;
  }
  return widened(runs, longest, units).map(({ entry, from, after }) => ({ entry, start: (units[from] as Unit).start, end: (units[after - 1] as Unit).end }));
}

/** What is left of an occurrence that begins in another one goes to that one, if it has a word. */
function widened(runs: readonly Run[], longest: readonly (Found | undefined)[], units: readonly Unit[]): readonly Run[] {
  const left = wordsLeft(runs, units);
  /** The end of all occurrences up to this unit of which words are left. */
  let reach = 0;
  return runs.map(({ entry, from, after }, index) => {
    const next = runs[index + 1]?.from ?? units.length;
    for (let at = from; at < after; at++) {
      const found = longest[at];
      if (found && (left[found.after] as number) > (left[at] as number)) reach = Math.max(reach, found.after);
    }
    let end = Math.min(reach, next);
    if (end <= after || left[end] === left[after]) return { entry, from, after };
    // What stands between it and the next one stays.
    while (end < reach && left[end] === left[end - 1]) end -= 1;
    const keys = units.slice(from, end).map(({ key }) => key);
    return { entry: keys.join(''), from, after: end };
  });
}

/** @returns by the index of a unit, how many words before it are in no run */
function wordsLeft(runs: readonly Run[], units: readonly Unit[]): Uint32Array {
  const left = new Uint32Array(units.length + 1);
  let next = 0;
  units.forEach(({ key }, at) => {
    while (next < runs.length && (runs[next] as Run).after <= at) next += 1;
    const isTaken = (runs[next]?.from ?? units.length) <= at;
    left[at + 1] = (left[at] as number) + (!isTaken && isWord(key) ? 1 : 0);
  });
  return left;
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
