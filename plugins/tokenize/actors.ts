// The threads of the anonymization endpoints: one per core, each ended when a request takes too long.
import type { TokenizeApi } from '../../actors/tokenize/api.ts';
import { replicated } from '../../kernel/actor.ts';
import type { PluginContext } from '../../kernel/plugin.ts';
import { cores } from '../../kernel/runtime/runtime.ts';
import type { TokenizeConfig } from './config.ts';

/** Requests that may wait or run; the last one waits for at most so many time limits as there are for each thread. */
const QUEUE = 128;

export function tokenizeActors(config: TokenizeConfig) {
  const tokenize = replicated<TokenizeApi, null>({
    module: new URL('../../actors/tokenize/tokenize.actor.ts', import.meta.url),
    // Switched off, there is nothing to run.
    size: config.enabled ? cores : 0,
    args: null,
    deadlineMs: config.time_limit_ms,
    onDeadline: 'kill',
    maxQueue: QUEUE,
    // Not nicer than the front: a thread that has to wait for the CPU would spend its time limit on that.
  });
  return { tokenize };
}

export type TokenizeActors = ReturnType<typeof tokenizeActors>;
export type TokenizeContext = PluginContext<TokenizeConfig, TokenizeActors>;
