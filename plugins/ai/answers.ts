// Answers by a model, from texts that are given to it with the question.
import { Fault } from '../../kernel/fault.ts';
import type { AiContext } from './actors.ts';
import type { Generator } from './generation.ts';
import type { Say } from './streamed.ts';

const PROMPT_TOKENS = 1_024;
const PIECE_TOKENS = 200;
const PART_TOKENS = 50;
const ANSWER_TOKENS = 256;
/** A token of a language has fewer characters, on average: what is behind so many is in no prompt, and is not cut to learn that. */
const PROMPT_CHARACTERS = 32 * PROMPT_TOKENS;
const INSTRUCTION =
  'Answer the question from the context alone, in the language of the question, in few sentences. If the context does not hold the answer, say that it does not.';

/** @returns the pieces of a long text, those first that have words of the question; a short text as it is @throws Fault BAD_REQUEST */
export async function relevantPieces(ctx: AiContext, model: Generator, text: string, query: string): Promise<readonly string[]> {
  requireShort(query);
  const [pieces = []] = await model.cut([text], PIECE_TOKENS);
  return pieces.length <= 1 ? pieces : ctx.actors.text.byRelevance(query, pieces);
}

/**
 * @param texts the most relevant first; those that the model cannot take beside the question are left out
 * @returns no answer if there is no text or the model says nothing
 */
export async function answerBy(model: Generator, query: string, texts: readonly string[], say?: Say): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const prompt = await promptOf(model, `question: ${squeezed(query)} context: `, texts);
  const [answer = ''] = await model.generate({ inputs: [prompt], instruction: INSTRUCTION, maxNewTokens: ANSWER_TOKENS }, say && ((_, piece) => say(piece)));
  return answer.trim() === '' ? [] : [answer.trim()];
}

/** Whole sentences from the beginning, as many as the model takes: the question comes first, so that it is never cut. @throws Fault BAD_REQUEST */
async function promptOf(model: Generator, question: string, texts: readonly string[]): Promise<string> {
  const some = firstOf(texts, PROMPT_CHARACTERS);
  // A sentence without an end may be as long as what the model takes: then it has parts, of which some fit beside the question.
  for (const size of [PIECE_TOKENS, PART_TOKENS]) {
    const pieces = (await model.cut(some, size)).flat();
    const [[prompt = ''] = []] = await model.cut([`${question}${pieces.join('\n')}`], PROMPT_TOKENS);
    // By its length: the question may have any words, those before the context too.
    if (prompt.length > question.length) return prompt;
  }
  throw tooLong();
}

const squeezed = (query: string): string => query.replaceAll(/\s+/g, ' ');

/** Before any work is done for it. @throws Fault BAD_REQUEST */
export function requireShort(query: string): void {
  if (squeezed(query).length > PROMPT_CHARACTERS) throw tooLong();
}

function tooLong(): Fault {
  return new Fault('BAD_REQUEST', { detail: 'query: the question is too long for the model' });
}

/** @returns the first texts, until they have so many characters */
function firstOf(texts: readonly string[], characters: number): readonly string[] {
  let end = 0;
  for (let length = 0; end < texts.length && length < characters; end += 1) length += (texts[end] as string).length;
  return texts.slice(0, end);
}
