// The threads of the AI runner: those that read and answer, the one that owns the documentary bases, and the one that has models run.
import { totalmem } from 'node:os';
import type { IdentityApi } from '../../actors/identity/api.ts';
import type { LibraryApi, LibraryArgs } from '../../actors/library/api.ts';
import type { ModelApi, ModelArgs } from '../../actors/model/api.ts';
import type { TextApi } from '../../actors/text/api.ts';
import { type PinnedSpec, pinned, replicated } from '../../kernel/actor.ts';
import { composed } from '../../kernel/normal-form.ts';
import type { PluginContext } from '../../kernel/plugin.ts';
import { cores } from '../../kernel/runtime/runtime.ts';
import type { AiConfig } from './config.ts';
import { modelFor } from './generation.ts';
import { modelSpecOf } from './models.ts';

/** Requests that may wait or run. */
const QUEUE = 64;
const LIBRARY_QUEUE = 256;
const LIBRARY_MS = 120_000;
const LIBRARY_MB = 2_048;
/** What the words of bases may take of it: the rest is for texts that are being read, and for garbage. */
const INDEX_SHARE = 0.65;

/** Model calls have deadlines of their own; loading a large model takes minutes. */
const MODEL_MS = 600_000;
const MODEL_QUEUE = 512;
const MIB = 1_048_576;
/** What models may take of this machine's memory if the configuration does not say. */
const MEMORY_SHARE = 0.6;

export function aiActors(config: AiConfig, dataDir: string, base: string) {
  const embedder = modelFor({ config }, 'embedding')?.id;
  const text = replicated<TextApi, null>({
    module: new URL('../../actors/text/text.actor.ts', import.meta.url),
    size: config.enabled ? Math.max(1, cores - 1) : 0,
    args: null,
    start: 'use',
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
    instances: config.enabled ? { main: libraryArgs(config, embedder) } : {},
    // With a model it goes on at the start with the vectors that are missing.
    start: embedder === undefined ? 'use' : 'soon',
    peers: ['model'],
    deadlineMs: LIBRARY_MS,
    maxQueue: LIBRARY_QUEUE,
    memoryMb: LIBRARY_MB,
    nice: 5,
    store: true,
    dataKeys: ['documents'],
  });
  const model = pinned<ModelApi, ModelArgs>({
    module: new URL('../../actors/model/model.actor.ts', import.meta.url),
    instances: config.enabled && config.models.length > 0 ? { main: modelArgs(config, dataDir, base) } : {},
    deadlineMs: MODEL_MS,
    noProcess: 'it runs every model in a process already',
    maxQueue: MODEL_QUEUE,
  });
  return { model, text, library };
}

function libraryArgs({ documentary_bases: bases, quotas }: AiConfig, embedder: string | undefined): LibraryArgs {
  return { bases: bases.map(({ name }) => composed(name)), embedder, quotas, indexBytes: INDEX_SHARE * LIBRARY_MB * MIB };
}

function modelArgs(config: AiConfig, dataDir: string, base: string): ModelArgs {
  return {
    models: config.models.map((model) => modelSpecOf(model, dataDir, base)),
    maxMemoryMb: config.max_memory_mb || Math.floor((MEMORY_SHARE * Math.min(totalmem(), process.constrainedMemory() || Infinity)) / MIB),
    keepAliveMs: config.keep_alive_seconds * 1_000,
    threads: config.model_threads || Math.max(1, cores - 1),
    useMatrixAcceleration: config.use_matrix_accel,
  };
}

export type AiActors = ReturnType<typeof aiActors>;
/** The actor of the authentication service that verifies JWTs. */
export type Neighbours = { readonly identity: PinnedSpec<IdentityApi, unknown> };
export type AiContext = PluginContext<AiConfig, AiActors & Neighbours>;
