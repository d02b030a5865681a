// How a model of an encoder and a decoder writes, as its files say: which tokens begin, end and are never written, and which one comes next.
import { Fault } from '../../../kernel/fault.ts';
import { readJson } from './tokenizer.ts';

export interface Decoding {
  readonly start: number;
  readonly ends: ReadonlySet<number>;
  readonly padding: number;
  /** The first token that is written, where the model wants a certain one. */
  readonly first: number | undefined;
  readonly never: readonly number[];
  /** No sequence of so many tokens is written twice; 0 for no such rule. */
  readonly noRepeat: number;
  readonly minTokens: number;
  readonly maxTokens: number;
  /** Of an input, with special tokens. */
  readonly window: number;
}

const DEFAULT_WINDOW = 512;
const MAX_WINDOW = 4_096;
/** They need the language of the target as their first token, which differs with each family. */
const UNKNOWN_KINDS = ['m2m_100', 'mbart', 'nllb', 'nllb-moe'];

/** @throws Fault MODEL_FAILED for a model that this server cannot run */
export async function decodingIn(folder: string): Promise<Decoding> {
  const [config, tokens] = [await readJson(folder, 'config.json'), await readJson(folder, 'tokenizer_config.json')];
  const all = { ...config, ...(await readJson(folder, 'generation_config.json')) };
  const kind = String(config['model_type']);
  if (UNKNOWN_KINDS.includes(kind))
    throw new Fault('MODEL_FAILED', { detail: `models of the kind ${kind} are not supported; those of one pair of languages are` });
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined);
  const ends = [all['eos_token_id']].flat().flatMap((id) => number(id) ?? []);
  const start = number(all['decoder_start_token_id']) ?? number(config['pad_token_id']);
  if (start === undefined || ends.length === 0) throw new Fault('MODEL_FAILED', { detail: 'config.json does not say how an answer begins and ends' });
  const positions = number(config['max_position_embeddings']);
  const windows = [positions, number(config['n_positions']), number(tokens['model_max_length'])].flatMap((each) => each ?? []);
  const never = Array.isArray(all['bad_words_ids']) ? all['bad_words_ids'] : [];
  const most = [positions, number(all['max_length'])].flatMap((each) => (each === undefined ? [] : each - 1));
  return {
    ...{ start, ends: new Set(ends), padding: number(all['pad_token_id']) ?? (ends[0] as number) },
    first: number(all['forced_bos_token_id']),
    never: never.flatMap((ids: unknown) => (Array.isArray(ids) && ids.length === 1 ? (number(ids[0]) ?? []) : [])),
    noRepeat: number(all['no_repeat_ngram_size']) ?? 0,
    minTokens: number(all['min_new_tokens']) ?? number(all['min_length']) ?? 0,
    maxTokens: Math.min(MAX_WINDOW, ...most),
    window: windows.length === 0 ? DEFAULT_WINDOW : Math.min(MAX_WINDOW, ...windows),
  };
}

/**
 * The most probable token that the rules allow: greedy, so that the same text has the same answer.
 * @param scores of all tokens; changed @param written so far, without the one that begins @param minTokens before the end is allowed
 */
export function nextToken(scores: Float32Array, written: readonly number[], { first, never, noRepeat, ends }: Decoding, minTokens: number): number {
  if (written.length === 0 && first !== undefined) return first;
  for (const id of never) scores[id] = Number.NEGATIVE_INFINITY;
  if (written.length < minTokens) for (const id of ends) scores[id] = Number.NEGATIVE_INFINITY;
  if (noRepeat > 0) for (const id of repeating(written, noRepeat)) scores[id] = Number.NEGATIVE_INFINITY;
  let best = 0;
  for (let id = 1; id < scores.length; id++) if ((scores[id] as number) > (scores[best] as number)) best = id;
  return best;
}

/** @returns tokens that would complete a sequence that was written before */
function repeating(written: readonly number[], size: number): number[] {
  const tail = written.slice(written.length - size + 1);
  if (written.length < size) return [];
  const found: number[] = [];
  for (let at = 0; at + size <= written.length; at++) if (tail.every((id, index) => written[at + index] === id)) found.push(written[at + size - 1] as number);
  return found;
}
