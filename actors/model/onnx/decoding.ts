// How a generating model writes, as its files say: which tokens begin, end and are never written, how many hypotheses it writes side by side, and how long its texts are.
import { Fault } from '../../../kernel/fault.ts';
import type { ModelTask } from '../api.ts';
import { type BeamSettings, Beams } from './beams.ts';
import { countIn, readJson, tokenIn } from './model-files.ts';
import { settingsOfTask } from './prefixes.ts';
import type { Rules } from './rules.ts';
import { Greedy, type Search } from './search.ts';
import type { Tokenizer } from './tokenizer.ts';

export interface Decoding {
  /** The token that begins every answer of a decoder; of no use to one that goes on with its prompt. */
  readonly start: number;
  readonly padding: number;
  readonly rules: Omit<Rules, 'read'>;
  readonly beams: BeamSettings;
  readonly maxTokens: number;
  /** Of an input, with special tokens. */
  readonly window: number;
  /** Whether it has words for languages: the source begins with one, and so does the translation. */
  readonly isMultilingual: boolean;
  /** Words that it has scores for, if the files say it. */
  readonly words: number | undefined;
}

const DEFAULT_WINDOW = 512;
const MAX_WINDOW = 4_096;
const MAX_BEAMS = 16;
const MULTILINGUAL = ['m2m_100', 'mbart', 'nllb', 'nllb-moe'];

export interface DecodingOptions {
  /** Whether it goes on with a prompt. */
  readonly isCausal: boolean;
  /** Instead of what the files say; 0 for what they say. */
  readonly beams: number;
  readonly task?: ModelTask | undefined;
}

/** @throws Fault MODEL_FAILED for a model that this server cannot run */
export async function decodingIn(folder: string, { isCausal, beams, task }: DecodingOptions, tokenizer: Pick<Tokenizer, 'idOf'>): Promise<Decoding> {
  const [whole, tokens] = [await readJson(folder, 'config.json'), await readJson(folder, 'tokenizer_config.json')];
  // Models that also read pictures have the settings of the part for texts apart.
  const config: Readonly<Record<string, unknown>> = { ...(whole['text_config'] as object | undefined), ...whole };
  const all = { ...config, ...(await readJson(folder, 'generation_config.json')), ...settingsOfTask(config, task) };
  const ends = [...[all['eos_token_id']].flat(), endOf(tokens, tokenizer)].flatMap((id) => tokenIn(id) ?? []);
  const start = tokenIn(all['decoder_start_token_id']) ?? tokenIn(config['pad_token_id']) ?? (isCausal ? 0 : undefined);
  if (start === undefined || ends.length === 0) throw new Fault('MODEL_FAILED', { detail: 'config.json does not say how an answer begins and ends' });
  const isMultilingual = MULTILINGUAL.includes(String(config['model_type']));
  // Older ones begin with the language itself.
  if (isMultilingual && !ends.includes(start))
    throw new Fault('MODEL_FAILED', { detail: 'multilingual models whose answers begin with a language are not supported' });
  const positions = countIn(config['max_position_embeddings']);
  const windows = [positions, countIn(config['n_positions']), countIn(tokens['model_max_length'])].flatMap((each) => each ?? []);
  const most = [positions, isCausal ? undefined : countIn(all['max_length'])].flatMap((each) => (each === undefined ? [] : Math.max(1, each - 1)));
  return {
    ...{ start, isMultilingual, padding: tokenIn(all['pad_token_id']) ?? (ends[0] as number), words: countIn(config['vocab_size']) },
    rules: rulesIn(all, new Set(ends)),
    beams: beamsIn(all, beams),
    maxTokens: Math.min(MAX_WINDOW, ...most),
    window: windows.length === 0 ? DEFAULT_WINDOW : Math.min(MAX_WINDOW, ...windows),
  };
}

/** Chat models may end an answer with another token than their files name first: the one that ends a turn. */
function endOf({ eos_token: token }: Readonly<Record<string, unknown>>, tokenizer: Pick<Tokenizer, 'idOf'>): number | undefined {
  const word = typeof token === 'string' ? token : (token as { readonly content?: unknown } | null | undefined)?.content;
  return typeof word === 'string' ? tokenizer.idOf(word) : undefined;
}

function rulesIn(all: Readonly<Record<string, unknown>>, ends: ReadonlySet<number>): Omit<Rules, 'read'> {
  const never = Array.isArray(all['bad_words_ids']) ? all['bad_words_ids'] : [];
  const penalty = all['repetition_penalty'];
  return {
    ends,
    first: tokenIn(all['forced_bos_token_id']),
    never: never.flatMap((ids: unknown) => (Array.isArray(ids) && ids.length === 1 ? (tokenIn(ids[0]) ?? []) : [])),
    noRepeat: countIn(all['no_repeat_ngram_size']) ?? 0,
    minTokens: countIn(all['min_new_tokens']) ?? countIn(all['min_length']) ?? 0,
    repetitionPenalty: typeof penalty === 'number' && Number.isFinite(penalty) && penalty > 0 ? penalty : 1,
  };
}

function beamsIn(all: Readonly<Record<string, unknown>>, beams: number): BeamSettings {
  const early = all['early_stopping'];
  const penalty = all['length_penalty'];
  return {
    count: Math.max(1, Math.min(MAX_BEAMS, beams || (countIn(all['num_beams']) ?? 1))),
    lengthPenalty: typeof penalty === 'number' && Number.isFinite(penalty) ? penalty : 1,
    earlyStopping: early === true || early === 'never' ? early : false,
  };
}

export interface Task {
  /** What it reads. */
  readonly ids: readonly number[];
  /** The token that the answer begins with, if it is that of this row alone. */
  readonly first: number | undefined;
  readonly maxTokens: number;
}

/** @param isCausal whether what it reads counts as there before */
export function searchOf({ start, rules, beams, maxTokens }: Decoding, { ids, first = rules.first, maxTokens: most }: Task, isCausal: boolean): Search {
  // A short text must not be stretched to the length that the model was trained for.
  const minTokens = Math.min(rules.minTokens, ids.length >> 1);
  const options = { start, rules: { ...rules, first, minTokens, read: isCausal ? ids : [start] }, maxTokens: Math.min(maxTokens, most) };
  return beams.count === 1 ? new Greedy(options) : new Beams(beams, options);
}
