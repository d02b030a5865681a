// What the routes ask of generating models: in the name of the caller, until he leaves, within the time limit.
import type { Generation, ModelTask } from '../../actors/model/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import { callWith } from '../../kernel/runtime/remote.ts';
import type { AiContext } from './actors.ts';
import type { AiConfig } from './config.ts';

/** Texts in one request to a model, so that callers take turns. */
const INPUTS = 32;

export type ModelConfig = AiConfig['models'][number];

/** @returns the first model of this task; undefined if none is configured: then the answer is made without */
export function modelFor({ config }: AiContext, task: ModelTask): ModelConfig | undefined {
  return config.models.find((model) => model.task === task);
}

/** How an answer was made, so that nobody takes written sentences for chosen ones. */
export function madeBy({ id }: ModelConfig): Readonly<Record<string, string>> {
  return { 'x-ai-engine': id };
}

export interface Generator {
  /** Whole sentences together, in pieces that the model takes. @returns the pieces; together they are the text, but for space between them */
  cut(text: string, maxTokens: number): Promise<readonly string[]>;
  /** @returns a text for each input */
  generate(request: Generation): Promise<readonly string[]>;
}

/** Both throw Fault MODEL_NOT_INSTALLED, MODEL_FAILED, MODEL_BUSY, MODEL_SHARE, MODEL_TIME_LIMIT. A model that is configured and fails is never replaced by an answer without. */
export function generatorOf(ctx: AiContext, { id }: ModelConfig, { caller, address, signal }: Request): Generator {
  const asker = caller ? `${caller.realm ?? ''}/${caller.username}` : address;
  const endsAt = ctx.clock.monotonic() + ctx.config.time_limit_seconds * 1_000;
  /** The time limit is that of the whole answer. */
  const model = () => {
    const deadlineMs = endsAt - ctx.clock.monotonic();
    if (deadlineMs <= 0) throw new Fault('MODEL_TIME_LIMIT');
    return callWith(ctx.actors.model.at('main'), { signal, deadlineMs });
  };
  const late = (error: unknown): never => {
    throw error instanceof Fault && error.code === 'DEADLINE' ? new Fault('MODEL_TIME_LIMIT', { cause: error }) : error;
  };
  return {
    async cut(text, maxTokens) {
      const spans = await model().cut(id, text, maxTokens, asker).catch(late);
      return spans.map(([start, end]) => text.slice(start, end).trim()).filter((piece) => piece !== '');
    },
    async generate({ inputs, ...task }) {
      const made: string[] = [];
      for (let at = 0; at < inputs.length; at += INPUTS)
        made.push(
          ...(await model()
            .generate(id, { ...task, inputs: inputs.slice(at, at + INPUTS) }, asker)
            .catch(late)),
        );
      return made;
    },
  };
}
