// What the routes ask of generating models: in the name of the caller, until he leaves, within the time limit.
import { randomUUID } from 'node:crypto';
import type { Generation, ModelApi, ModelTask } from '../../actors/model/api.ts';
import type { Remote } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import { callWith } from '../../kernel/runtime/remote.ts';
import type { AiContext } from './actors.ts';
import { callerOf } from './caller.ts';
import type { AiConfig } from './config.ts';

/** Texts in one request to a model, so that callers take turns. */
const INPUTS = 32;
/** Fewer where the client waits for pieces. */
const FOLLOWED_INPUTS = 8;

export type ModelConfig = AiConfig['models'][number];

/** @returns the first model of this task; undefined if none is configured: then the answer is made without */
export function modelFor({ config }: AiContext, task: ModelTask): ModelConfig | undefined {
  return config.models.find((model) => model.task === task);
}

/** How an answer was made, so that nobody takes written sentences for chosen ones. */
export function madeBy({ id }: ModelConfig): Readonly<Record<string, string>> {
  return { 'x-ai-engine': id };
}

export type OnText = (input: number, piece: string) => void;

export interface Generator {
  /** Whole sentences together, in pieces that the model takes. @returns the pieces; together they are the text, but for space between them */
  cut(text: string, maxTokens: number): Promise<readonly string[]>;
  /** @param onText gets the texts in pieces, in the order of the inputs @returns a text for each input */
  generate(request: Generation, onText?: OnText): Promise<readonly string[]>;
}

/** Both throw Fault MODEL_NOT_INSTALLED, MODEL_FAILED, MODEL_BUSY, MODEL_SHARE, MODEL_TIME_LIMIT. A model that is configured and fails is never replaced by an answer without. */
export function generatorOf(ctx: AiContext, { id }: ModelConfig, request: Request): Generator {
  const asker = callerOf(request);
  const endsAt = ctx.clock.monotonic() + ctx.config.time_limit_seconds * 1_000;
  /** The time limit is that of the whole answer. */
  const model = () => {
    const deadlineMs = endsAt - ctx.clock.monotonic();
    if (deadlineMs <= 0) throw new Fault('MODEL_TIME_LIMIT');
    return callWith(ctx.actors.model.at('main'), { signal: request.signal, deadlineMs });
  };
  const late = (error: unknown): never => {
    throw error instanceof Fault && error.code === 'DEADLINE' ? new Fault('MODEL_TIME_LIMIT', { cause: error }) : error;
  };
  return {
    async cut(text, maxTokens) {
      const spans = await model().cut(id, text, maxTokens, asker).catch(late);
      return spans.map(([start, end]) => text.slice(start, end).trim()).filter((piece) => piece !== '');
    },
    async generate({ inputs, ...task }, onText) {
      const made: string[] = [];
      const size = onText ? FOLLOWED_INPUTS : INPUTS;
      for (let at = 0; at < inputs.length; at += size) {
        const some = inputs.slice(at, at + size);
        if (onText && some.length === 1) made.push(...(await followed(model, id, { ...task, inputs: some }, asker, (piece) => onText(at, piece)).catch(late)));
        else {
          const texts = await model()
            .generate(id, { ...task, inputs: some }, asker)
            .catch(late);
          for (const [index, text] of texts.entries()) onText?.(at + index, text);
          made.push(...texts);
        }
      }
      return made;
    },
  };
}

/** Reads the pieces of one text while it is written. */
async function followed(
  model: () => Remote<ModelApi>,
  id: string,
  request: Generation,
  asker: string,
  onText: (piece: string) => void,
): Promise<readonly string[]> {
  const ticket = randomUUID();
  const work = model().generate(id, request, asker, ticket);
  const follow = async () => {
    for (let pieces = await model().pieces(ticket); pieces; pieces = await model().pieces(ticket)) for (const [, piece] of pieces) onText(piece);
  };
  // If the work fails, its own failure is told; a failed reader loses only pieces, which the whole text has too.
  const following = follow().catch(() => {});
  const texts = await work;
  await following;
  return texts;
}
