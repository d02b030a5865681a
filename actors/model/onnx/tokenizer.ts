// The tokenizer of a model: turns text into the numbers that it reads, and cuts what is too long for it at the ends of sentences.
import { Tokenizer as Rules } from '@huggingface/tokenizers';
import { Fault } from '../../../kernel/fault.ts';
import { sentenceSpans } from '../../../text/sentences.ts';
import { isWithinPair } from '../../../text/surrogate-pair.ts';
import type { Span } from '../api.ts';
import { readJson } from './model-files.ts';
import { atOnce, type Steps } from './steps.ts';

/** In characters: tokenizers take time with the square of the length of a word. Longer ones are no words of a language. */
const MAX_WORD = 1_024;
/** Of one token, on average: a text of more characters is too long, and is not counted to learn that. */
const MAX_CHARACTERS = 32;

/** What stands for a special token around a text. */
type Mark = (id: number) => number;

interface WindowOptions {
  /** What the model wants before each text. */
  readonly prefix?: string;
  readonly mark?: Mark;
}

/** A part of a text, and its tokens. */
type Counted = readonly [start: number, end: number, tokens: number];

const asItIs: Mark = (id) => id;

export class Tokenizer {
  readonly #rules: Rules;
  /** Special tokens around every text, such as [CLS] and [SEP]. */
  readonly #before: readonly number[];
  readonly #after: readonly number[];

  constructor(rules: Rules) {
    this.#rules = rules;
    const bare = this.encode('a');
    const ids: readonly number[] = rules.encode('a', { add_special_tokens: true }).ids;
    const at = ids.findIndex((_, index) => bare.every((id, offset) => ids[index + offset] === id));
    this.#before = ids.slice(0, Math.max(0, at));
    this.#after = at < 0 ? [] : ids.slice(at + bare.length);
  }

  /** @returns tokens without special ones */
  encode(text: string): number[] {
    const own = (part: string): number[] => this.#rules.encode(part, { add_special_tokens: false }).ids;
    return text.length <= MAX_WORD ? own(text) : withoutLongWords(text).flatMap(own);
  }

  /** @returns the text of tokens, without special ones */
  decode(ids: readonly number[]): string {
    return ids.length === 0 ? '' : this.#rules.decode([...ids], { skip_special_tokens: true });
  }

  /** Tokens that special ones take of each window. */
  get overhead(): number {
    return this.#before.length + this.#after.length;
  }

  enclose(ids: readonly number[], mark: Mark = asItIs): number[] {
    return [...this.#before.map(mark), ...ids, ...this.#after.map(mark)];
  }

  /** @returns as `enclose`, without what ends a text: for a text that goes on */
  begin(ids: readonly number[]): number[] {
    return [...this.#before, ...ids];
  }

  /** @returns what the vocabulary of the model was extended by; special ones are no text */
  *added(): Iterable<readonly [id: number, content: string, isSpecial: boolean]> {
    for (const [id, { content, special }] of this.#rules.get_added_tokens_decoder()) yield [id, content, special];
  }

  /** @returns the number of a word; undefined if the model has no such word */
  idOf(word: string): number | undefined {
    return this.#rules.token_to_id(word);
  }

  /** @returns all words, added ones too, with their numbers */
  words(): ReadonlyMap<string, number> {
    return this.#rules.get_vocab(true);
  }

  /** As `windowing`, without a pause: for texts that are not long. */
  windows(text: string, maxTokens: number, options?: WindowOptions): number[][] {
    return atOnce(this.windowing(text, maxTokens, options));
  }

  /** @param maxTokens of one window, with special tokens @returns the tokens of each window, with special tokens; one for a text that fits, or has no token */
  *windowing(text: string, maxTokens: number, { prefix = '', mark = asItIs }: WindowOptions = {}): Steps<number[][]> {
    const room = maxTokens - this.overhead;
    if (text.length <= room * MAX_CHARACTERS) {
      const whole = this.encode(prefix + text);
      if (whole.length <= room) return [this.enclose(whole, mark)];
    }
    const rest = prefix === '' ? room : Math.max(1, room - this.encode(prefix).length);
    const windows: number[][] = [];
    for (const [start, end] of yield* this.cutting(text, rest)) {
      const ids = this.encode(prefix + text.slice(start, end));
      // A word may have other tokens at the beginning of a text than within it.
      for (let at = 0; at < ids.length; at += room) windows.push(this.enclose(ids.slice(at, at + room), mark));
      yield;
    }
    // Space alone, however long.
    return windows.length === 0 ? [this.enclose([], mark)] : windows;
  }

  /** As `cutting`, without a pause: for texts that are not long. */
  cut(text: string, maxTokens: number): Span[] {
    return atOnce(this.cutting(text, maxTokens));
  }

  /** @returns pieces of whole sentences with at most this number of tokens; a longer sentence is cut between words, a longer word anywhere */
  *cutting(text: string, maxTokens: number): Steps<Span[]> {
    const pieces: Span[] = [];
    let open: Counted | undefined;
    for (const span of sentenceSpans(text))
      for (const [start, end, tokens] of yield* this.#split(text, span, maxTokens)) {
        if (open && open[2] + tokens <= maxTokens) open = [open[0], end, open[2] + tokens];
        else {
          if (open) pieces.push([open[0], open[1]]);
          open = [start, end, tokens];
        }
      }
    if (open) pieces.push([open[0], open[1]]);
    return pieces;
  }

  /** Halves what is too long, at a space where there is one. */
  *#split(text: string, [start, end]: Span, maxTokens: number): Steps<Counted[]> {
    const isShort = end - start <= maxTokens * MAX_CHARACTERS;
    const tokens = isShort ? this.encode(text.slice(start, end)).length : Number.POSITIVE_INFINITY;
    yield;
    if (end - start <= 1 || tokens <= maxTokens) return [[start, end, tokens]];
    const middle = (start + end) >> 1;
    const space = text.slice(start, middle + 1).lastIndexOf(' ');
    const at = space > 0 ? start + space : isWithinPair(text, middle) ? middle + 1 : middle;
    if (at <= start || at >= end) return [[start, end, tokens]];
    return [...(yield* this.#split(text, [start, at], maxTokens)), ...(yield* this.#split(text, [at, end], maxTokens))];
  }
}

/** @returns the parts of a text, of which none goes on with a word that was too long */
function withoutLongWords(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g))
    for (const end = index + word.length; end - Math.max(from, index) > MAX_WORD; ) {
      const at = Math.max(from, index) + MAX_WORD;
      const next = isWithinPair(text, at) ? at + 1 : at;
      parts.push(text.slice(from, next));
      from = next;
    }
  parts.push(text.slice(from));
  return parts;
}

/** @param tokens that the files of the model allow at a time */
export function noRoom(tokens: number): Fault {
  return new Fault('MODEL_FAILED', { detail: `the files of the model allow ${tokens} tokens at a time, which leaves no room for a text` });
}

/** @throws Fault MODEL_FAILED */
export async function openTokenizer(folder: string): Promise<Tokenizer> {
  const [rules, config] = [await readJson(folder, 'tokenizer.json'), await readJson(folder, 'tokenizer_config.json')];
  try {
    return new Tokenizer(new Rules(rules, config));
  } catch (cause) {
    throw new Fault('MODEL_FAILED', { detail: 'tokenizer.json: is damaged, or of a kind that is not supported', cause });
  }
}
