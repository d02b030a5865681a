// The interface of engines: what runs a loaded model, in a process of this machine or on a server elsewhere.
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Generation, ModelSpec, Purpose, Span } from './api.ts';

export interface EngineSurroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly threads: number;
  readonly useMatrixAcceleration: boolean;
}

/** Opens a model: the promise settles when it can be used, and rejects with a Fault whose detail says what to do. */
export type OpenEngine = (model: ModelSpec, surroundings: EngineSurroundings) => Promise<Engine>;

/** Calls may overlap; the engine batches them. Each ends within one step after its signal is aborted. */
export interface Engine {
  /** Of the weights: a hash, a commit of the hub, or what a server calls its model. */
  readonly revision: string;
  /** Resident memory of this machine in MiB, after loading. */
  readonly memoryMb: number;
  /** @returns for each text the vectors of its windows, of length 1; a text that fits has one */
  embed(texts: readonly string[], purpose: Purpose, signal: AbortSignal): Promise<readonly (readonly Float32Array[])[]>;
  /** @param watch `onText` gets each piece of an answer when it is there */
  generate(request: Generation, watch: { readonly signal: AbortSignal; onText?(input: number, piece: string): void }): Promise<readonly string[]>;
  /** @returns the number of tokens of each text, without special ones */
  count(texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  /** @returns the pieces of each text */
  cut(texts: readonly string[], maxTokens: number, signal: AbortSignal): Promise<readonly (readonly Span[])[]>;
  /** Settles with the reason if it ends by itself, as a crashed process does; calls that ran are rejected. Never settles for a server elsewhere. */
  readonly lost: Promise<unknown>;
  /** Ends it, whatever runs. */
  close(): Promise<void>;
}
