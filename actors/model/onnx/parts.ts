// Opens a generating model: its graphs, its tokenizer, and what its shape asks for. It has an encoder and a decoder (Marian, BART, T5), or goes on with a prompt.
import { join } from 'node:path';
import type { ModelTask } from '../api.ts';
import { chatPhrasing } from './chat.ts';
import { type Decoding, decodingIn } from './decoding.ts';
import { EncodedState } from './encoded-state.ts';
import { multilingualPhrasing, targetedPhrasing, targetTokens } from './languages.ts';
import { hasOperator } from './operators.ts';
import { type Phrasing, plainPhrasing } from './phrasing.ts';
import { prefixesIn } from './prefixes.ts';
import { PromptState } from './prompt-state.ts';
import { openSession } from './session.ts';
import type { State } from './state.ts';
import { noRoom, openTokenizer, type Tokenizer } from './tokenizer.ts';

export interface PartsOptions {
  readonly folder: string;
  /** Paths in the folder: of the encoder and the decoder, or of one graph that goes on with a prompt. */
  readonly weights: readonly string[];
  readonly threads: number;
  /** Hypotheses that are written side by side; 0 for as many as the files of the model say. */
  readonly beams: number;
  /** What it is for: some files have settings for a task. */
  readonly task?: ModelTask;
}

export interface Parts {
  readonly tokenizer: Tokenizer;
  readonly decoding: Decoding;
  readonly phrasing: Phrasing;
  /** Whether it goes on with a prompt. */
  readonly isCausal: boolean;
  /** Rows that write together. */
  readonly maxRows: number;
  /** @param inputs tokens of each row */
  stateOf(inputs: readonly (readonly number[])[]): State;
}

/** Rows that write together, of all requests; more would delay those that wait. */
const MAX_ROWS = 16;
/** The same with all hypotheses of the rows. */
const MAX_PLACES = 32;
/** If the files do not say how many words a model has. */
const MANY_WORDS = 262_144;

/** @throws Fault MODEL_FAILED for a model that this server cannot run */
export async function openParts(options: PartsOptions): Promise<Parts> {
  const { folder, weights, beams, task } = options;
  const isCausal = weights.length === 1;
  const tokenizer = await openTokenizer(folder);
  const decoding = await decodingIn(folder, { isCausal, beams, task }, tokenizer);
  const maxRows = Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_PLACES / decoding.beams.count)));
  const begun = { tokenizer, decoding, isCausal, maxRows };
  const parts = await (isCausal ? openCausal(options, begun) : openEncoded(options, begun));
  if (parts.phrasing.room < 1) throw noRoom(decoding.window);
  return parts;
}

type Begun = Omit<Parts, 'phrasing' | 'stateOf'>;

async function openEncoded({ folder, weights, threads, task }: PartsOptions, parts: Begun): Promise<Parts> {
  const { tokenizer, decoding } = parts;
  const [first, second] = [await openSession(join(folder, weights[0] as string), threads), await openSession(join(folder, weights[1] as string), threads)];
  const sessions = { runtime: first.runtime, encoder: first.session, decoder: second.session, padding: decoding.padding };
  const targets = task === 'translation' && !decoding.isMultilingual ? targetTokens(tokenizer.words()) : new Map<string, number>();
  const phrasing = decoding.isMultilingual
    ? multilingualPhrasing(tokenizer, decoding)
    : targets.size > 0
      ? targetedPhrasing(tokenizer, decoding, targets)
      : plainPhrasing(tokenizer, decoding, await prefixesIn(folder, task));
  return { ...parts, phrasing, stateOf: (inputs) => new EncodedState(sessions, inputs) };
}

async function openCausal({ folder, weights, threads }: PartsOptions, parts: Begun): Promise<Parts> {
  const { tokenizer, decoding } = parts;
  const phrasing = await chatPhrasing(folder, tokenizer, decoding);
  const { runtime, session } = await openSession(join(folder, weights[0] as string), threads);
  const countsMask = await hasOperator(join(folder, weights[0] as string), 'GroupQueryAttention');
  const sessions = { runtime, decoder: session, padding: decoding.padding, words: decoding.words ?? MANY_WORDS, countsMask };
  // Graphs that count positions by themselves cannot know which tokens are padding, unless they count those of the mask.
  const maxRows = countsMask || session.inputNames.includes('position_ids') ? parts.maxRows : 1;
  return { ...parts, phrasing, maxRows, stateOf: (inputs) => new PromptState(sessions, inputs) };
}
