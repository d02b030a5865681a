// Deletes the tickets of Login that have ended, once an hour: Login itself deletes those of its caller only, who may never come again.
import type { KeysContext } from './actors.ts';
import { workRegularly } from './regular-work.ts';

const HOUR_MS = 3_600_000;

export function purgeTicketsRegularly(ctx: KeysContext): void {
  workRegularly(ctx, HOUR_MS, () => ctx.actors.kmip.purgeTickets(), 'delete the tickets that have ended');
}
