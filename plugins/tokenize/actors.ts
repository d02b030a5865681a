// The threads of the anonymization endpoints: one per core; a thread is ended when a request takes too long.
import type { TokenizeApi } from '../../actors/tokenize/api.ts';
import { replicated } from '../../kernel/actor.ts';
import type { PluginContext } from '../../kernel/plugin.ts';
import { cores } from '../../kernel/runtime/runtime.ts';
import type { TokenizeConfig } from './config.ts';

/** Requests that may wait or run. The last one waits at most QUEUE / threads time limits. */
const QUEUE = 128;

export function tokenizeActors(config: TokenizeConfig) {
  const tokenize = replicated<TokenizeApi, null>({
    module: new URL('../../actors/tokenize/tokenize.actor.ts', import.meta.url),
    beside: config.enabled && config.placement === 'beside' ? new URL('../../actors/tokenize/tokenize.beside.ts', import.meta.url) : undefined,
    // No threads if the endpoints are disabled.
    size: config.enabled ? cores : 0,
    args: null,
    start: 'use',
    deadlineMs: config.time_limit_ms,
    onDeadline: 'kill',
    maxQueue: QUEUE,
    // The same CPU priority as the front: a thread that waits for the CPU would use up its time limit.
  });
  return { tokenize };
}

export type TokenizeActors = ReturnType<typeof tokenizeActors>;
export type TokenizeContext = PluginContext<TokenizeConfig, TokenizeActors>;
