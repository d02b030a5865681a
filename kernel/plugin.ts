// The plugin contract: what a plugin declares, and what it gets.
import type { TSchema } from 'typebox';
import type { AnySpec, RefOf, Status } from './actor.ts';
import type { Clock } from './clock.ts';
import type { FlagSpec, FlagValues } from './config/flags.ts';
import type { KernelConfig } from './config/sections.ts';
import type { FaultTable } from './fault.ts';
import type { Authenticator, CredentialKind } from './http/credential.ts';
import type { DocumentText } from './http/openapi.ts';
import type { Route, Unserved } from './http/route.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import type { Listener } from './listener/listener.ts';
import type { Log } from './log-entry.ts';
import type { Metrics } from './metrics.ts';
import type { Migration } from './store/migrate.ts';

export type Actors = Readonly<Record<string, AnySpec>>;

/** What a plugin may know of the front; there is nothing to know before the server is about to listen. */
export interface FrontView {
  /** The OpenAPI document of every route. */
  openapi(format: 'yaml' | 'json'): DocumentText;
  /** The certificates in service, PEM each: the server's own, then those that vouch for it as far as the file holds them. */
  certificateChain(): readonly string[];
}

export interface PluginContext<C, S extends Actors> {
  readonly config: C;
  /** Its own, and those of other plugins that it works with. */
  readonly actors: { readonly [K in keyof S]: RefOf<S[K]> };
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly dataDir: string;
  /** Of the server. */
  readonly version: string;
  readonly front: FrontView;
  /** Variables of the process, for what is no configuration: secrets of a first start, which are deleted once read. */
  readonly env: NodeJS.ProcessEnv;
  /** The plugin's flags as given on the command line. */
  readonly flags: FlagValues;
  /** Aborted when the server stops, before its actors do: what a plugin has started by itself ends then. */
  readonly signal: AbortSignal;
  /** What an actor last reported of itself, by key; undefined while it is not running. */
  reported(actor: string & keyof S): ReadonlyMap<string, Status | undefined>;
}

/** `N` are actors of other plugins that it works with. Only `name` and `config` are required. Functions that get no context are pure: they describe and start nothing. */
interface Plugin<C, S extends Actors, N extends Actors = S> {
  /** Its section in config.toml, its log field, the prefix of its fault codes. */
  readonly name: string;
  /** The section, where it is not named like the plugin. */
  readonly section?: string;
  readonly config: TSchema;
  /** Codes begin with the plugin's name: `AUTH_DENIED`. */
  readonly faults?: FaultTable;
  /** What is said of the groups that the OpenAPI document lists routes in, by tag. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The form of 404 at paths that nobody serves. */
  readonly unserved?: Unserved;
  readonly migrations?: readonly Migration[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** The section that the plugin's flags stand for; used where the file has none. */
  sectionOf?(flags: FlagValues): unknown;
  /** What a schema cannot say of the section; each begins with the place below it: `[0].hsm_password: ...`, `.key: ...`. */
  problems?(config: C): readonly string[];
  /** `base` is the folder that relative paths of the configuration start from, `version` that of the server. */
  actors?(config: C, kernel: KernelConfig, base: string, version: string): S;
  authenticators?(ctx: PluginContext<C, S & N>): Partial<Record<CredentialKind, Authenticator>>;
  routes?(ctx: PluginContext<C, S & N>): readonly Route[];
  /** Protocols that are not HTTP. */
  listeners?(ctx: PluginContext<C, S & N>): readonly Listener[];
  /** Whether `/version` is JSON for who names no type: programs that the plugin serves may expect that, others a plain text. */
  isVersionJson?(config: C): boolean;
  /**
   * The key that wraps the data key of the key server in the place of the root key; one plugin at most has one. Asked for before the actors
   * start; its calls are made while they start, and later.
   */
  keyEncryptionKey?(ctx: PluginContext<C, S & N>): KeyEncryptionKey | undefined;
  /** Runs when the actors run, before the server listens; what it returns is part of the line that says so. */
  open?(ctx: PluginContext<C, S & N>): Promise<readonly string[]>;
  /** Whether the plugin as a whole can do its work, beside the states of its actors. */
  status?(ctx: PluginContext<C, S & N>): Status | Promise<Status>;
}

// biome-ignore lint/suspicious/noExplicitAny: the kernel carries any plugin's configuration and actors without looking inside.
export type AnyPlugin = Plugin<any, any, any>;

/** Identity, for inference; a plugin needs no import at run time. */
export function definePlugin<C, S extends Actors = Actors, N extends Actors = S>(plugin: Plugin<C, S, N>): Plugin<C, S, N> {
  return plugin;
}

/** The section of the configuration that is the plugin's. */
export function sectionOf({ section, name }: AnyPlugin): string {
  return section ?? name;
}
