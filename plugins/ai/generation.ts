// What the routes ask of generating models: in the name of the caller, for as long as the caller waits, within the time limit.
import { randomUUID } from 'node:crypto';
import type { Generation, ModelTask, Span } from '../../actors/model/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import { readWhile } from '../../text/pieces.ts';
import type { AiContext } from './actors.ts';
import { callerOf } from './caller.ts';
import type { AiConfig } from './config.ts';
import { refuseLate } from './faults.ts';

/** Texts in one request to a model, so that callers take turns. */
const INPUTS = 32;
/** Cutting takes far less time than writing. */
const CUT_TEXTS = 1_024;
/** Fewer where the client waits for pieces. */
const FOLLOWED_INPUTS = 8;
/** Before the time limit, so that the answer that says it is there in time. */
const MARGIN_MS = 250;

export type ModelConfig = AiConfig['models'][number];

/** @returns the first model of this task; undefined if none is configured: then the answer is made without */
export function modelFor({ config }: { readonly config: AiConfig }, task: ModelTask): ModelConfig | undefined {
  return config.models.find((model) => model.task === task);
}

/** How an answer was made, so that nobody takes written sentences for chosen ones. */
export function madeBy({ id }: ModelConfig): Readonly<Record<string, string>> {
  return { 'x-ai-engine': id };
}

export type OnText = (input: number, piece: string) => void;

export interface Generator {
  /** Whole sentences together, in pieces that the model takes. @returns the pieces of each text; together they are the text, but for space between them */
  cut(texts: readonly string[], maxTokens: number): Promise<readonly (readonly string[])[]>;
  /** @param onText gets the texts in pieces, in the order of the inputs @returns a text for each input */
  generate(request: Generation, onText?: OnText): Promise<readonly string[]>;
}

/** Both throw Fault MODEL_NOT_INSTALLED, MODEL_FAILED, MODEL_BUSY, MODEL_SHARE, MODEL_TIME_LIMIT. A model that is configured and fails is never replaced by an answer without. */
export function generatorOf(ctx: AiContext, { id }: ModelConfig, request: Request): Generator {
  const asker = callerOf(request);
  const endsAt = ctx.clock.monotonic() + ctx.config.time_limit_seconds * 1_000;
  /** The time limit is that of the whole answer. */
  const left = () => endsAt - ctx.clock.monotonic();
  const model = () => {
    const deadlineMs = left();
    if (deadlineMs <= 0) throw new Fault('MODEL_TIME_LIMIT');
    return callWith(ctx.actors.model.at('main'), { signal: request.signal, deadlineMs });
  };
  const patience = () => Math.max(0, left() - MARGIN_MS);
  return {
    cut: (texts, maxTokens) => cut(texts, (some) => model().cut(id, some, maxTokens, asker, patience())),
    async generate({ inputs, ...task }, onText) {
      const made: string[] = [];
      const size = onText ? FOLLOWED_INPUTS : INPUTS;
      for (let at = 0; at < inputs.length; at += size) {
        const some = inputs.slice(at, at + size);
        const follows = onText && some.length === 1;
        const ticket = follows && randomUUID();
        const work = model().generate(id, { ...task, inputs: some }, asker, ticket || undefined, patience());
        const texts = await (ticket
          ? readWhile(
              work,
              () => model().pieces(ticket),
              (_, piece) => onText?.(at, piece),
            )
          : work
        ).catch(refuseLate);
        if (!follows) for (const [index, text] of texts.entries()) onText?.(at + index, text);
        made.push(...texts);
      }
      return made;
    },
  };
}

async function cut(texts: readonly string[], spansOf: (texts: readonly string[]) => Promise<readonly (readonly Span[])[]>): Promise<string[][]> {
  const pieces: string[][] = [];
  for (let at = 0; at < texts.length; at += CUT_TEXTS) {
    const some = texts.slice(at, at + CUT_TEXTS);
    const spans = await spansOf(some).catch(refuseLate);
    for (const [index, text] of some.entries())
      pieces.push((spans[index] ?? []).map(([start, end]) => text.slice(start, end).trim()).filter((piece) => piece !== ''));
  }
  return pieces;
}
