// The routes of texts: summaries, translations and answers from a given context.
import type { Request, Response } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AiContext } from './actors.ts';
import { answerBy, relevantPieces } from './answers.ts';
import { refuseLate } from './faults.ts';
import { readForm } from './forms.ts';
import { generatorOf, madeBy, modelFor } from './generation.ts';
import { languageIn } from './language.ts';
import { streamed } from './streamed.ts';
import { summaryBy } from './summaries.ts';
import { translationBy, translatorFor } from './translations.ts';

/** How an answer was made, so that nobody takes chosen sentences for written ones. */
export const EXTRACTIVE = { 'x-ai-engine': 'extractive' };

export const SUMMARY = Type.Object({ summary: Type.String() });
export const TRANSLATION = Type.Object({ translation: Type.String() });
export const RESULT = Type.Object({ result: Type.Array(Type.String()) });

export async function summarize(ctx: AiContext, request: Request<Uint8Array | undefined>): Promise<Response> {
  const { doc = '' } = (await readForm(ctx, 'summarize', request)).fields;
  const model = modelFor(ctx, 'summary');
  // At the model callers take turns, and their requests share batches: one caller may have many.
  if (model) request.leaveTurn();
  return streamed(ctx, request, model ? madeBy(model) : EXTRACTIVE, async (say) => ({
    summary: model ? await summaryBy(generatorOf(ctx, model, request), doc, say) : await ctx.actors.text.summarize(doc).catch(refuseLate),
  }));
}

/** @throws Fault MODEL_NOT_INSTALLED: without a model no honest translation can be made */
export async function translate(ctx: AiContext, request: Request<Uint8Array | undefined>): Promise<Response> {
  const { doc = '', src_lang: source = '', tgt_lang: target = '' } = (await readForm(ctx, 'translate', request)).fields;
  const [from, to] = [languageIn('src_lang', source), languageIn('tgt_lang', target)];
  request.leaveTurn();
  if (from === to) return streamed(ctx, request, undefined, async () => ({ translation: doc }));
  const model = translatorFor(ctx.config, from, to);
  return streamed(ctx, request, madeBy(model), async (say) => ({ translation: await translationBy(generatorOf(ctx, model, request), doc, from, to, say) }));
}

export async function contextPredict(ctx: AiContext, request: Request<Uint8Array | undefined>): Promise<Response> {
  const { context = '', query = '' } = (await readForm(ctx, 'context_predict', request)).fields;
  const model = modelFor(ctx, 'answer');
  if (model) request.leaveTurn();
  return streamed(ctx, request, model ? madeBy(model) : EXTRACTIVE, async (say) => {
    if (!model) return { result: await ctx.actors.text.answer(query, [context]).catch(refuseLate) };
    const generator = generatorOf(ctx, model, request);
    const pieces = await relevantPieces(ctx, generator, context, query);
    return { result: await answerBy(generator, query, pieces, say) };
  });
}
