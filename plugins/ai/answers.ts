// Answers by a model, from texts that are given to it with the question.
import { Fault } from '../../kernel/fault.ts';
import type { AiContext } from './actors.ts';
import type { Generator } from './generation.ts';
import type { Say } from './streamed.ts';

const PROMPT_TOKENS = 1_024;
const PIECE_TOKENS = 200;
const PART_TOKENS = 50;
const ANSWER_TOKENS = 256;
const INSTRUCTION =
  'Answer the question from the context alone, in the language of the question, in few sentences. If the context does not hold the answer, say that it does not.';

/** @returns the pieces of a long text, those first that have words of the question; a short text as it is */
export async function relevantPieces(ctx: AiContext, model: Generator, text: string, query: string): Promise<readonly string[]> {
  const [pieces = []] = await model.cut([text], PIECE_TOKENS);
  return pieces.length <= 1 ? pieces : ctx.actors.text.byRelevance(query, pieces);
}

/**
 * @param texts the most relevant first; those that the model cannot take beside the question are left out
 * @returns no answer if there is no text or the model says nothing
 */
export async function answerBy(model: Generator, query: string, texts: readonly string[], say?: Say): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const prompt = await promptOf(model, `question: ${query.replaceAll(/\s+/g, ' ')} context: `, texts);
  const [answer = ''] = await model.generate({ inputs: [prompt], instruction: INSTRUCTION, maxNewTokens: ANSWER_TOKENS }, say && ((_, piece) => say(piece)));
  return answer.trim() === '' ? [] : [answer.trim()];
}

/** Whole sentences from the beginning, as many as the model takes: the question comes first, so that it is never cut. @throws Fault BAD_REQUEST */
async function promptOf(model: Generator, question: string, texts: readonly string[]): Promise<string> {
  // A sentence without an end may be as long as what the model takes: then it has parts, of which some fit beside the question.
  for (const size of [PIECE_TOKENS, PART_TOKENS]) {
    const pieces = (await model.cut(texts, size)).flat();
    const [[prompt = ''] = []] = await model.cut([`${question}${pieces.join('\n')}`], PROMPT_TOKENS);
    if (/ context: \S/.test(prompt)) return prompt;
  }
  throw new Fault('BAD_REQUEST', { detail: 'query: the question is too long for the model' });
}
