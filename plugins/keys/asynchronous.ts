// Looks after asynchronous requests at short intervals: what a stop or a node that is gone has left, and results whose time is over.
import type { KeysContext } from './actors.ts';
import { workRegularly } from './regular-work.ts';

const EVERY_MS = 5_000;

export function tendAsynchronousRegularly(ctx: KeysContext): void {
  workRegularly(ctx, EVERY_MS, () => ctx.actors.kmip.tendAsynchronous(), 'look after asynchronous requests');
}
