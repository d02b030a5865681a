// The actor contract: what an actor is, how it is described, and what its callers hold.
import type { Clock } from './clock.ts';
import type { DataKeyPurpose } from './data-key-row.ts';
import type { Log } from './log-entry.ts';
import type { ReadStore, Store } from './store/store.ts';
import type { Versions } from './versions.ts';

/** Methods take and return structured-cloneable values; each is one message. Optional and rest parameters are not supported. */
export type Api = { readonly [method: string]: (...args: never[]) => unknown };

/** What an actor says of itself: `detail` is plain data for the plugin that owns it. */
export interface Status {
  readonly ready: boolean;
  readonly note?: string;
  readonly detail?: unknown;
}

/** The call being served, from `ActorContext.call()`. */
export interface Call {
  readonly requestId: string | undefined;
  /** Aborted when the caller goes away or its deadline passes; long work looks at it between steps. */
  readonly signal: AbortSignal;
  /** What is left of the call is a wait: the thread takes other calls in its place, however many of these it has. */
  aside(): void;
}

export interface ActorContext {
  readonly name: string;
  /** The instance of a pinned actor, the shard or replica number of the others. */
  readonly key: string;
  /** Names this node among those that share a database. */
  readonly node: string;
  /** Aborted when a graceful stop begins. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent in a process of its own: it caches nothing that others change. */
  readonly versions: Versions | undefined;
  /** This thread's own connection to the store; only for specs with `store: true`. */
  openStore(): Promise<Store>;
  /** A data key that the spec names in `dataKeys`. */
  dataKey(purpose: DataKeyPurpose): Uint8Array;
  /** True at the first start of a version that authenticates the rows of this purpose: those without a MAC are given one before the factory is done. */
  adopts(purpose: DataKeyPurpose): boolean;
  /** The call under way, through any number of awaits. */
  call(): Call | undefined;
  /** Replaces what /ready and the owning plugin see of this actor. */
  report(status: Status): void;
  /** A direct line to another actor that the spec names in `peers`. */
  peer<A extends Api>(name: string): PinnedRef<A>;
}

/** What a factory returns. `stop` runs on a graceful stop only, never after a crash. */
export interface Actor<A extends Api> {
  readonly api: A;
  stop?(): Promise<void> | void;
}

/** The factory is the start hook: if it throws, the actor never existed. State lives in its closure. */
export type ActorFactory<A extends Api, Args> = (args: Args, ctx: ActorContext) => Promise<Actor<A>> | Actor<A>;

/** Thrown by a part beside the callers where the actor itself has to serve the call. One object for all: it costs next to nothing, and its stack says nothing. */
export const ELSEWHERE: Error = new Error('the actor itself serves this call');

/** What a part beside the callers has of an actor's context; what is under way is the caller's own call. */
export interface BesideContext<A extends Api> extends Pick<ActorContext, 'node' | 'clock' | 'log' | 'dataKey'> {
  readonly versions: Versions;
  openReader(): Promise<ReadStore>;
  requestId(): string | undefined;
  /** The actor itself, as its callers hold it; of a sharded actor the owner of `key`. */
  own(key: string): Remote<A>;
}

/**
 * Methods of an actor that its callers' thread can serve: quick, without a write, and only with what no other thread may change behind its
 * back. Each throws ELSEWHERE for what it leaves to the actor; nothing that it did until then may be seen by anybody.
 */
export interface BesidePart<A extends Api> {
  readonly api: { readonly [M in keyof A]?: (...args: Parameters<A[M]>) => Awaited<ReturnType<A[M]>> | Promise<Awaited<ReturnType<A[M]>>> };
  stop?(): Promise<void> | void;
}

export type BesideFactory<A extends Api, Args> = (args: Args, ctx: BesideContext<A>) => Promise<BesidePart<A>> | BesidePart<A>;

export interface RestartPolicy {
  /** Crashes within `withinMs` that are answered with a restart; one more and the actor is `failed`. */
  readonly max: number;
  readonly withinMs: number;
  /** Delay before the first restart; doubles with each crash in the window, up to `maxDelayMs`. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A failed actor is tried again at this interval, for ever. */
  readonly retryMs: number;
}

export const DEFAULT_RESTART: RestartPolicy = Object.freeze({ max: 5, withinMs: 60_000, firstDelayMs: 50, maxDelayMs: 5_000, retryMs: 60_000 });

interface SpecBase<A extends Api> {
  readonly module: URL;
  /** From the call to its answer, queue included. */
  readonly deadlineMs: number;
  /** `kill`: the deadline is for the work alone, not for the wait before it; the thread is ended and replaced, and that is no crash. */
  readonly onDeadline?: 'kill';
  /** Calls waiting or under way, beyond which a call is refused with OVERLOADED. Default 1024. */
  readonly maxQueue?: number;
  readonly restart?: RestartPolicy;
  /** Boot does not wait for it and does not fail with it: for what depends on something outside. */
  readonly start?: 'background';
  /** Limit of the JavaScript heap, MiB. Default 256. */
  readonly memoryMb?: number;
  /** Added to the niceness of the thread and of all threads its libraries start: CPU work yields to the front. */
  readonly nice?: number;
  /** The actor may open the store. */
  readonly store?: boolean;
  /** Data keys of the server that the actor works with. */
  readonly dataKeys?: readonly DataKeyPurpose[];
  /** Pinned or sharded actors it may call directly. */
  readonly peers?: readonly string[];
  /** Module of a BesideFactory, for a sharded or replicated actor: serves in the callers' thread what needs no thread of its own. */
  readonly beside?: URL | undefined;
  /** Carries the type only. */
  readonly api?: A;
}

/** One thread per key; all calls for a key go there, in the order they were made. */
export interface PinnedSpec<A extends Api, Args> extends SpecBase<A> {
  readonly kind: 'pinned';
  readonly instances: Readonly<Record<string, Args>>;
  /** Keys that run in a process of their own, each with its whole environment. */
  readonly isolated?: Readonly<Record<string, { readonly env: Readonly<Record<string, string>> }>>;
}

/** `shards` threads; a key belongs to exactly one of them, so that a cache needs no locks. */
export interface ShardedSpec<A extends Api, Args> extends SpecBase<A> {
  readonly kind: 'sharded';
  readonly shards: number;
  readonly args: Args;
}

/** `size` identical threads; any may serve any call. */
export interface ReplicatedSpec<A extends Api, Args> extends SpecBase<A> {
  readonly kind: 'replicated';
  readonly size: number;
  /** Calls handed to one thread at a time; the rest wait in the kernel's queue. Default 1. */
  readonly prefetch?: number;
  readonly args: Args;
}

type ActorSpec<A extends Api, Args> = PinnedSpec<A, Args> | ShardedSpec<A, Args> | ReplicatedSpec<A, Args>;
// biome-ignore lint/suspicious/noExplicitAny: an actor's arguments are its own business; the kernel only carries them.
type AnyArgs = any;
export type AnySpec = ActorSpec<Api, AnyArgs>;

/** The caller's view: every method async, no other property. Each call ends as a value, the actor's fault, or a kernel fault. */
export type Remote<A extends Api> = { readonly [M in keyof A]: (...args: Parameters<A[M]>) => Promise<Awaited<ReturnType<A[M]>>> };

export interface PinnedRef<A extends Api> {
  keys(): readonly string[];
  at(key: string): Remote<A>;
}

export interface ShardedRef<A extends Api> {
  /** The owner of this key. */
  of(key: string): Remote<A>;
  all(): readonly Remote<A>[];
}

export type RefOf<S> =
  S extends PinnedSpec<infer A, AnyArgs>
    ? PinnedRef<A>
    : S extends ShardedSpec<infer A, AnyArgs>
      ? ShardedRef<A>
      : S extends ReplicatedSpec<infer A, AnyArgs>
        ? Remote<A>
        : never;

export function defineActor<A extends Api, Args>(factory: ActorFactory<A, Args>): ActorFactory<A, Args> {
  return factory;
}

export function defineBeside<A extends Api, Args>(factory: BesideFactory<A, Args>): BesideFactory<A, Args> {
  return factory;
}

export function pinned<A extends Api, Args>(spec: Omit<PinnedSpec<A, Args>, 'kind'>): PinnedSpec<A, Args> {
  return { kind: 'pinned', ...spec };
}

export function sharded<A extends Api, Args>(spec: Omit<ShardedSpec<A, Args>, 'kind'>): ShardedSpec<A, Args> {
  return { kind: 'sharded', ...spec };
}

export function replicated<A extends Api, Args>(spec: Omit<ReplicatedSpec<A, Args>, 'kind'>): ReplicatedSpec<A, Args> {
  return { kind: 'replicated', ...spec };
}
