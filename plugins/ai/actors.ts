// The threads of the AI runner: those that read and answer, and the one that owns the documentary bases.
import type { LibraryApi, LibraryArgs } from '../../actors/library/api.ts';
import type { TextApi } from '../../actors/text/api.ts';
import { pinned, replicated } from '../../kernel/actor.ts';
import type { PluginContext } from '../../kernel/plugin.ts';
import { cores } from '../../kernel/runtime/runtime.ts';
import type { AiConfig } from './config.ts';

/** Requests that may wait or run. */
const QUEUE = 64;
const LIBRARY_QUEUE = 256;
const LIBRARY_MS = 120_000;

export function aiActors(config: AiConfig) {
  const text = replicated<TextApi, null>({
    module: new URL('../../actors/text/text.actor.ts', import.meta.url),
    size: config.enabled ? Math.max(1, cores - 1) : 0,
    args: null,
    deadlineMs: config.time_limit_seconds * 1_000,
    // A hostile file must not hold a thread: it is ended from outside.
    onDeadline: 'kill',
    maxQueue: QUEUE,
    memoryMb: 768,
    // Reading and summarising yield to sign-in and keys.
    nice: 10,
  });
  const library = pinned<LibraryApi, LibraryArgs>({
    module: new URL('../../actors/library/library.actor.ts', import.meta.url),
    instances: config.enabled ? { main: { bases: config.documentary_bases.map(({ name }) => name) } } : {},
    deadlineMs: LIBRARY_MS,
    maxQueue: LIBRARY_QUEUE,
    memoryMb: 2_048,
    nice: 5,
    store: true,
  });
  return { text, library };
}

export type AiActors = ReturnType<typeof aiActors>;
export type AiContext = PluginContext<AiConfig, AiActors>;
