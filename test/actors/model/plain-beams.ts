// Plain searches that the search of the server is compared with: one that tries every text, and beam search as it is usually defined, without caches and batches.
import { join } from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import type { BeamSettings } from '../../../actors/model/onnx/beams.ts';
import { numbersFrom } from '../../models/phrasebook.ts';

/** @returns the logarithm of the probability of each token behind these */
export type Next = (tokens: readonly number[]) => Promise<readonly number[]>;

export const END_TOKEN = 0;

/** @returns a model that is made up: what it says of the next token depends on all tokens before, and on nothing else */
export function madeUpNext(words: number, seed: number): Next {
  return async (tokens) => {
    const next = numbersFrom([seed, ...tokens].reduce((mixed, token) => Math.imul(mixed ^ (token + 1), 0x9e3779b1), 0x7f4a7c15));
    const scores = Array.from({ length: words }, () => 4 * next());
    const total = Math.log(scores.reduce((sum, score) => sum + Math.exp(score), 0));
    return scores.map((score) => score - total);
  };
}

/** @param ids what the model reads @returns what it says of next tokens, computed from the beginning each time; the padding, which is last, is never chosen */
export async function openNext(folder: string): Promise<(ids: readonly number[]) => Next> {
  const { InferenceSession, Tensor: Numbers } = await import('onnxruntime-node');
  const open = (name: string) => InferenceSession.create(join(folder, 'onnx', name));
  const [encoder, decoder] = [await open('encoder_model.onnx'), await open('decoder_model_merged.onnx')];
  const row = (values: readonly number[]) => new Numbers('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const empty = Object.fromEntries(
    decoder.inputMetadata.flatMap((input) => {
      if (!input.isTensor || !input.name.startsWith('past_key_values.')) return [];
      const [, heads = 0, , size = 0] = input.shape as number[];
      return [[input.name, new Numbers('float32', new Float32Array(0), [1, heads, 0, size])]];
    }),
  );
  return (ids) => async (tokens) => {
    const [input_ids, attention_mask] = [row(ids), row(ids.map(() => 1))];
    const memory = (await encoder.run({ input_ids, attention_mask }))['last_hidden_state'] as Tensor;
    const words = (decoder.outputMetadata[0] as { readonly shape: readonly number[] }).shape[2] as number;
    const use_cache_branch = new Numbers('bool', Uint8Array.of(0), [1]);
    const given = { input_ids: row([words - 1, ...tokens]), encoder_attention_mask: attention_mask, encoder_hidden_states: memory, use_cache_branch };
    const { logits } = await decoder.run({ ...empty, ...given }, ['logits']);
    const scores = [...((logits as Tensor).data as Float32Array)].slice(-words);
    const total = Math.log(scores.reduce((sum, score) => sum + Math.exp(score), 0));
    return scores.map((score, word) => (word === words - 1 ? Number.NEGATIVE_INFINITY : score - total));
  };
}

interface Text {
  readonly tokens: readonly number[];
  readonly sum: number;
}

const scoreOf = ({ tokens, sum }: Text, lengthPenalty: number) => sum / tokens.length ** lengthPenalty;
const grown = async (text: Text, next: Next): Promise<Text[]> =>
  (await next(text.tokens)).flatMap((logarithm, token) => (logarithm === -Infinity ? [] : [{ tokens: [...text.tokens, token], sum: text.sum + logarithm }]));
const hasEnded = ({ tokens }: Text) => tokens.at(-1) === END_TOKEN;

/** @returns the best of all texts that end within so many tokens */
export async function bestOfAll(next: Next, maxTokens: number, lengthPenalty: number): Promise<readonly number[]> {
  let open: Text[] = [{ tokens: [], sum: 0 }];
  const ended: Text[] = [];
  for (let length = 1; length <= maxTokens; length += 1) {
    const all = (await Promise.all(open.map((text) => grown(text, next)))).flat();
    ended.push(...all.filter(hasEnded));
    open = all.filter((text) => !hasEnded(text));
  }
  return best(ended, lengthPenalty);
}

const best = (texts: readonly Text[], lengthPenalty: number) =>
  [...texts].sort((a, b) => scoreOf(b, lengthPenalty) - scoreOf(a, lengthPenalty))[0]?.tokens ?? [];

/** Beam search as its usual definition has it: Hugging Face, generation/beam_search.py. */
export async function plainBeams(next: Next, { count, lengthPenalty, earlyStopping }: BeamSettings, maxTokens: number): Promise<readonly number[]> {
  let open: Text[] = [{ tokens: [], sum: 0 }];
  let ended: Text[] = [];
  for (let length = 1; length <= maxTokens; length += 1) {
    const ranked = (await Promise.all(open.map((text) => grown(text, next)))).flat().sort((a, b) => b.sum - a.sum);
    ended = [...ended, ...ranked.slice(0, count).filter(hasEnded)].sort((a, b) => scoreOf(b, lengthPenalty) - scoreOf(a, lengthPenalty)).slice(0, count);
    open = ranked.filter((text) => !hasEnded(text)).slice(0, count);
    const [worst, first] = [ended.at(-1), ranked[0]];
    if (!first) break;
    if (ended.length < count || !worst) continue;
    const reach = earlyStopping === 'never' && lengthPenalty > 0 ? maxTokens : length;
    if (earlyStopping === true || scoreOf(worst, lengthPenalty) >= first.sum / reach ** lengthPenalty) break;
  }
  return best(ended.length > 0 ? ended : open, lengthPenalty);
}
