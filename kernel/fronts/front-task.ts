// What the main thread gives a front, and what both can ask each other.
import type { TlsOptions } from 'node:tls';
import type { FlagValues } from '../config/flags.ts';
import type { KernelConfig } from '../config/sections.ts';
import type { Setting } from '../config/setting.ts';
import type { DataKeyPurpose } from '../keys/data-key-row.ts';
import type { Figures } from '../metrics/totals.ts';
import type { StoreAddress } from '../runtime/channel/incarnation.ts';
import type { RegionsMemory } from '../shared/region.ts';
import type { BoundPorts } from './ports.ts';

/** Everything that a front needs to build its routes. It is plain data, because it crosses a port. */
export interface FrontTask {
  /** Number of the thread, from 1. */
  readonly thread: number;
  /** Module that exports the built-in plugins as BUILT_IN. */
  readonly builtIn: string;
  readonly config: KernelConfig;
  /** Validated configuration of each plugin, by its name. */
  readonly sections: ReadonlyMap<string, unknown>;
  readonly flags: FlagValues;
  readonly settings: readonly Setting[];
  /** Folder of relative paths in the configuration. */
  readonly base: string;
  readonly dataDir: string;
  readonly version: string;
  readonly store: StoreAddress;
  readonly node: string;
  readonly tls: TlsOptions;
  readonly shared: RegionsMemory;
  readonly isCopying: boolean;
  /** Where its thread counts its turns. */
  readonly pulse: SharedArrayBuffer;
}

/** What a front asks the main thread. Every call names the front. */
export type KernelApi = {
  /** @throws Fault KEY_SERVER_SEALED while it cannot be opened */
  dataKey(purpose: DataKeyPurpose): Promise<Uint8Array>;
  /** Settles when the data keys can be opened. */
  unsealed(): Promise<void>;
  notReady(): Promise<readonly string[]>;
  degraded(): Promise<readonly string[]>;
  scrape(): Promise<string>;
  /** A call waits for the thread of an actor that starts when it is needed. */
  needed(actor: string, key: string): void;
  /** A call has run past the deadline of an actor whose thread is ended then. @param launch of the thread that works on it */
  late(actor: string, key: string, launch: number): void;
};

/** What the main thread asks a front. */
export type FrontApi = {
  /** Opens the ports. @param at the ports, if another front has opened them already */
  open(at: BoundPorts | null): Promise<FrontAddresses>;
  applyTls(tls: TlsOptions): void;
  /** Ends each of its connections with its next answer: a further front has opened the ports. */
  renew(): void;
  /** Ends every connection with its next answer: the server is about to stop. */
  drain(): void;
  /** How busy its event loop was since the last call: 0 to 1. */
  busy(): number;
  figures(): Promise<Figures>;
  /** Calls past their deadline that actors still work on, by `name/key` of the actor. */
  overdue(): ReadonlyMap<string, number>;
};

export interface FrontAddresses {
  /** `https://host:port` */
  readonly address: string;
  /** `tls://host:port` by name of the listener. */
  readonly listeners: ReadonlyMap<string, string>;
}
