// The types of actors: what an actor is, how a plugin describes it, and what its callers use.
import type { Call } from './call.ts';
import type { Clock } from './clock.ts';
import type { Isolation } from './isolation.ts';
import type { DataKeyPurpose } from './keys/data-key-row.ts';
import type { Log } from './log/log-entry.ts';
import type { RestartPolicy } from './restart-policy.ts';
import type { Status } from './status.ts';
import type { ReadStore, Store } from './store/store.ts';
import type { Versions } from './versions.ts';

/** Each call of a method is one message, so arguments and results must be structured-cloneable. Optional and rest parameters are not supported. */
export type Api = { readonly [method: string]: (...args: never[]) => unknown };

export interface ActorContext {
  readonly name: string;
  /** Instance of a pinned actor, shard or replica number of the other kinds. */
  readonly key: string;
  /** Unique name of this node among those that share a database. */
  readonly node: string;
  /** Aborted when a graceful stop begins. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined in a process without the store. In a process with it, `read` returns another number after every commit, or NaN. */
  readonly versions: Versions | undefined;
  /** This thread's own connection to the store; only for specs with `store: true`. */
  openStore(): Promise<Store>;
  /** A data key that the spec names in `dataKeys`. */
  dataKey(purpose: DataKeyPurpose): Uint8Array;
  /** True until all rows of this purpose are authenticated: the factory must then add MACs to rows without one before it returns. */
  adopts(purpose: DataKeyPurpose): boolean;
  /** @returns the call that is being served, also after any number of awaits */
  call(): Call | undefined;
  /** Runs work that belongs to no call and that no caller ends. The audit rows and log lines that it writes have the ID of the request that asked for it. */
  apart<T>(requestId: string | undefined, work: () => T): T;
  /** Sets the status that /ready and the owning plugin see. */
  report(status: Status): void;
  /** @returns a direct channel to another actor that the spec names in `peers` */
  peer<A extends Api>(name: string): PinnedRef<A>;
}

/** The result of a factory. `stop` runs only on a graceful stop, never after a crash. */
export interface Actor<A extends Api> {
  readonly api: A;
  stop?(): Promise<void> | void;
}

/** Creates an actor, whose state lives in the closure. If the factory throws, the start has failed. */
export type ActorFactory<A extends Api, Args> = (args: Args, ctx: ActorContext) => Promise<Actor<A>> | Actor<A>;

export type { Call } from './call.ts';
export { ELSEWHERE, isLeft, WRITTEN_ELSEWHERE } from './elsewhere.ts';
export { callWith } from './runtime/mailbox/remote.ts';

/** What a part beside the callers has of an actor's context; what is under way is the caller's own call. */
export interface BesideContext<A extends Api> extends Pick<ActorContext, 'node' | 'clock' | 'log' | 'dataKey' | 'report'> {
  readonly versions: Versions;
  openReader(): Promise<ReadStore>;
  requestId(): string | undefined;
  /** The actor itself, as its callers hold it; of a sharded actor the owner of `key`. */
  own(key: string): Remote<A>;
  /** Another actor that the spec names in `peers`, as the callers' thread holds it. A fault of a call to it is the answer: the actor itself is not asked then. */
  peer<P extends Api>(name: string): PinnedRef<P>;
}

/**
 * Methods of an actor that its callers' thread can serve: quick, without a write, and only with what no other thread may change behind its
 * back. Each throws ELSEWHERE or WRITTEN_ELSEWHERE for what it leaves to the actor; nothing that it did until then may be seen by anybody.
 */
export interface BesidePart<A extends Api> {
  readonly api: { readonly [M in keyof A]?: (...args: Parameters<A[M]>) => Awaited<ReturnType<A[M]>> | Promise<Awaited<ReturnType<A[M]>>> };
  stop?(): Promise<void> | void;
}

export type BesideFactory<A extends Api, Args> = (args: Args, ctx: BesideContext<A>) => Promise<BesidePart<A>> | BesidePart<A>;

interface SpecBase<A extends Api> {
  readonly module: URL;
  /** Time limit from the call to its answer, including the wait in the queue. */
  readonly deadlineMs: number;
  /**
   * `kill`: the deadline limits the work only, in CPU time where the system tells that of a thread, and in ten times as much on the clock; not the wait
   * before it. At the deadline the thread is ended and replaced, which does not count as a crash.
   */
  readonly onDeadline?: 'kill';
  /** Limit of waiting and running calls; further calls are refused with OVERLOADED. Default 1024. */
  readonly maxQueue?: number;
  readonly restart?: RestartPolicy;
  /**
   * `background`: the server start does not wait for the actor and does not fail with it, for actors that depend on something outside, such as
   * an HSM. `soon` and `use` save memory and time at the start: the first thread starts a moment after the server is ready (`soon`) or with the
   * first call, each further one when a call waits. No other actor may name such an actor as its peer.
   */
  readonly start?: 'background' | 'soon' | 'use';
  /** Whether it reports by itself if it is ready: each of its threads is not ready until it has for the first time. */
  readonly tellsReady?: boolean;
  /** Limit of the JavaScript heap in MiB. Default 256. */
  readonly memoryMb?: number;
  /** Added to the niceness of the thread and of the threads that its libraries start, so that CPU work yields to the main thread. */
  readonly nice?: number;
  /** For an actor that is seldom busy: the name of a thread that it may share. All actors of this name have its memory together, and a crash of one restarts all. */
  readonly sharedThread?: string | undefined;
  /** Each of its threads is a process: for native code that may crash, and for secrets that no other part of the server is to hold. It shares no memory, and no part of it lives beside its callers. */
  readonly process?: boolean;
  /** Why `[actors] processes` must not name it; a clause after "because". Without it, it may. */
  readonly noProcess?: string;
  /** Whether the actor may open the store, and the data keys of the server that it needs. */
  readonly store?: boolean;
  readonly dataKeys?: readonly DataKeyPurpose[];
  /** Pinned or sharded actors that it may call directly. */
  readonly peers?: readonly string[];
  /** Module of a BesideFactory, for a sharded or replicated actor: serves in the callers' thread what needs no thread of its own. */
  readonly beside?: URL | undefined;
  /** Never set; it only carries the type. */
  readonly api?: A;
}

/** One thread per key. It gets all calls for its key in the order in which they were made. */
export interface PinnedSpec<A extends Api, Args> extends SpecBase<A> {
  readonly kind: 'pinned';
  readonly instances: Readonly<Record<string, Args>>;
  /** Plain data that callers know of each key without asking it, also while it does not answer. No secrets. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Keys that run in a separate process. */
  readonly isolated?: Readonly<Record<string, Isolation>>;
}

/** A number of threads. Each key belongs to exactly one of them, so caches need no locks. */
export interface ShardedSpec<A extends Api, Args> extends SpecBase<A> {
  readonly kind: 'sharded';
  readonly shards: number;
  readonly args: Args;
}

/** A number of identical threads, each of which can serve any call. */
export interface ReplicatedSpec<A extends Api, Args> extends SpecBase<A> {
  readonly kind: 'replicated';
  readonly size: number;
  /** Calls that one thread gets at a time, and four times as many short ones that write; the others wait in the kernel's queue. Default 1. */
  readonly prefetch?: number;
  /** Saves memory and time at the start: each thread but the first starts when those that run are busy. */
  readonly spare?: boolean;
  /** A pinned actor: with instances of it there are no spares. A thread that starts while one of them hangs would keep its calls waiting. */
  readonly spareWithout?: string;
  readonly args: Args;
}

type ActorSpec<A extends Api, Args> = PinnedSpec<A, Args> | ShardedSpec<A, Args> | ReplicatedSpec<A, Args>;
// biome-ignore lint/suspicious/noExplicitAny: the kernel passes an actor's arguments on without knowing their type.
type AnyArgs = any;
export type AnySpec = ActorSpec<Api, AnyArgs>;

/** An actor as its callers see it: all methods are async, and there are no other properties. A call ends with a value, a fault of the actor, or a fault of the kernel. */
export type Remote<A extends Api> = { readonly [M in keyof A]: (...args: Parameters<A[M]>) => Promise<Awaited<ReturnType<A[M]>>> };

/** A remote for callers to whom a promise would cost more than the call: a method returns the answer itself if this thread has it. */
export type AtOnce<A extends Api> = { readonly [M in keyof A]: (...args: Parameters<A[M]>) => Awaited<ReturnType<A[M]>> | Promise<Awaited<ReturnType<A[M]>>> };

export interface PinnedRef<A extends Api> {
  keys(): readonly string[];
  /** What its spec says of a key; undefined if it says nothing. */
  about(key: string): unknown;
  at(key: string): Remote<A>;
}

export interface ShardedRef<A extends Api> {
  /** @returns the shard that owns this key */
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
