// Answers without a model that writes, where no sentence has a word of the question: the sentences that are nearest to it in meaning.
import type { Embedded } from '../../actors/model/api.ts';
import type { Request } from '../../kernel/http/route.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import type { AiContext } from './actors.ts';
import { callerOf } from './caller.ts';
import { refuseLate, refuseLateSearch } from './faults.ts';

const MAX_TEXTS = 5;
const MAX_SENTENCES = 64;
const MAX_ANSWERS = 3;
/** Cosine: sentences of unrelated subjects have less. */
const MIN_SIMILARITY = 0.35;
/** An answer must have this share of what the best one has. */
const MIN_SHARE = 0.9;

/** @param embedder ID of the model @param texts the most relevant first @returns at most three sentences, the nearest first; none if none is near */
export async function answersByMeaning(ctx: AiContext, request: Request, embedder: string, query: string, texts: readonly string[]): Promise<string[]> {
  const all = await ctx.actors.text.sentences(texts.slice(0, MAX_TEXTS)).catch(refuseLate);
  const sentences = [...new Set(all)].slice(0, MAX_SENTENCES);
  if (sentences.length === 0) return [];
  const model = callWith(ctx.actors.model.at('main'), { signal: request.signal, deadlineMs: ctx.config.time_limit_seconds * 1_000 });
  const caller = callerOf(request);
  const question = await model.embed(embedder, [query], 'query', caller).catch(refuseLateSearch);
  const made = await model.embed(embedder, sentences, 'passage', caller).catch(refuseLateSearch);
  const similarities = similaritiesOf(question, made);
  const near = sentences
    .map((text, at) => ({ text, similarity: similarities[at] as number }))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity);
  const enough = (near[0]?.similarity ?? 0) * MIN_SHARE;
  return near
    .filter(({ similarity }) => similarity >= enough)
    .map(({ text }) => text)
    .slice(0, MAX_ANSWERS);
}

/** @returns for each text the cosine with the question, of its nearest window */
function similaritiesOf(question: Embedded, { windows, vectors, dimensions }: Embedded): number[] {
  let at = 0;
  return windows.map((count) => {
    let best = -1;
    for (const end = at + count; at < end; at += 1) {
      let sum = 0;
      for (let axis = 0; axis < dimensions; axis += 1) sum += (question.vectors[axis] as number) * (vectors[at * dimensions + axis] as number);
      best = Math.max(best, sum);
    }
    return best;
  });
}
