// The interface of plugins: what a plugin declares, and the context that it gets.
import type { TSchema } from 'typebox';
import type { AnySpec, RefOf } from './actor.ts';
import type { Clock } from './clock.ts';
import type { FlagSpec, FlagValues } from './config/flags.ts';
import type { KernelConfig } from './config/sections.ts';
import type { Setting } from './config/setting.ts';
import type { FaultTable } from './fault.ts';
import type { WholeServer } from './health/whole-server.ts';
import type { Authenticator, CredentialKind } from './http/caller/credential.ts';
import type { DocumentText } from './http/openapi/openapi.ts';
import type { Route, Unserved } from './http/route.ts';
import type { KeyEncryptionKey } from './keys/key-encryption-key.ts';
import type { Listener } from './listener/listener.ts';
import type { Log } from './log/log-entry.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Regions } from './shared/region.ts';
import type { Status } from './status.ts';
import type { Migration } from './store/migrate.ts';

export type Actors = Readonly<Record<string, AnySpec>>;

/** What a plugin can learn about the HTTP server. Call it only after the routes are set up. */
export interface FrontView {
  /** @returns the OpenAPI document of all routes */
  openapi(format: 'yaml' | 'json'): DocumentText;
  /** @returns the certificates in use as PEM: the server's own, then those of its issuers that are in the file */
  certificateChain(): readonly string[];
  /** @returns the configuration in use, without secrets */
  settings(): readonly Setting[];
  /** @returns what the front knows of the other parts of the server */
  whole(): WholeServer;
}

export interface PluginContext<C, S extends Actors> {
  readonly config: C;
  /** The completed sections of all plugins, by the names of the plugins. */
  readonly sections: ReadonlyMap<string, unknown>;
  /** The plugin's own actors, and those of other plugins that it uses. */
  readonly actors: { readonly [K in keyof S]: RefOf<S[K]> };
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Memory of all threads that serve requests, for what must be counted over all of them. */
  readonly shared: Regions;
  readonly dataDir: string;
  /** Version of the server. */
  readonly version: string;
  readonly front: FrontView;
  /** Environment variables that are not configuration, such as secrets for the first start. A plugin deletes those that it has read. */
  readonly env: NodeJS.ProcessEnv;
  /** Values of plugin flags on the command line. */
  readonly flags: FlagValues;
  /** Aborted when the server stops, before its actors stop. A plugin must then end what it has started itself. */
  readonly signal: AbortSignal;
  /** @returns the last reported status of an actor, by key; undefined while it is not running */
  reported(actor: string & keyof S): ReadonlyMap<string, Status | undefined>;
}

/** What another module adds to a plugin. */
export interface Addition {
  /** For messages: `hsm_models[0].module: ./my-model.ts`, `plugin sample`. */
  readonly from: string;
  /** The default export of the module, or what a plugin offers; not checked. */
  readonly value: unknown;
}

export interface Completed<C> {
  readonly config: C;
  /** Each begins with its whole place: `hsm_instances[0].hsm_model: ...`. */
  readonly problems: readonly string[];
}

/** `N` are the actors of other plugins that it uses. Only `name` and `config` are required. Functions without a context must be pure: they start nothing. */
interface Plugin<C, S extends Actors, N extends Actors = S> {
  /** Also the section in config.toml, the field `plugin` in the log, and the prefix of fault codes. */
  readonly name: string;
  /** The section in config.toml, if its name differs from that of the plugin. */
  readonly section?: string;
  readonly config: TSchema;
  /** Codes begin with the name of the plugin: `AUTH_DENIED`. */
  readonly faults?: FaultTable;
  /** Descriptions of the groups of routes in the OpenAPI document, by tag. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The form of the 404 answer for paths without a route. */
  readonly unserved?: Unserved;
  readonly migrations?: readonly Migration[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** @returns the section made from the plugin's flags; used if the file does not have the section */
  sectionOf?(flags: FlagValues): unknown;
  /** @returns problems that a schema cannot find. Each begins with its place in the section: `[0].hsm_password: ...`, `.key: ...`. */
  problems?(config: C): readonly string[];
  /** The section of config.toml that lists modules which add something to this plugin, as [[plugins]] lists plugins. */
  readonly additions?: string;
  /** What this plugin adds to others, by their names. */
  readonly offers?: Readonly<Record<string, readonly unknown[]>>;
  /**
   * Completes the validated section with what others add. It runs once, in the main thread, also without additions; fronts and actors get the
   * completed section, so it must be structured-cloneable.
   * @param base folder of relative paths in the configuration
   */
  complete?(config: C, additions: readonly Addition[], base: string): Completed<C>;
  /** @param base folder of relative paths in the configuration @param version of the server @param dataDir absolute path of the data folder */
  actors?(config: C, kernel: KernelConfig, base: string, version: string, dataDir: string): S;
  authenticators?(ctx: PluginContext<C, S & N>): Partial<Record<CredentialKind, Authenticator>>;
  routes?(ctx: PluginContext<C, S & N>): readonly Route[];
  /** Listeners of protocols other than HTTP. */
  listeners?(ctx: PluginContext<C, S & N>): readonly Listener[];
  /** Whether `/version` answers with JSON if the client states no preference, because clients of this plugin expect it. */
  isVersionJson?(config: C): boolean;
  /**
   * @returns a key that wraps the data key of the key server instead of the root key; at most one plugin may provide one. This is called before
   * the actors start; the methods of the key are called while they start, and later.
   * @param id asks for the key of this identifier, from which `--rotate-kek` moves to the configured one; undefined if this plugin cannot reach it
   */
  keyEncryptionKey?(ctx: PluginContext<C, S & N>, id?: string): KeyEncryptionKey | undefined;
  /** @returns what is wrong with what only a first start uses, as one over an empty store would refuse it; for checks of the configuration */
  firstStartProblems?(ctx: PluginContext<C, S & N>): readonly string[];
  /**
   * Runs once, in the main thread, after the actors have started and before the server listens. The other functions run in the thread of every front
   * as well, and metrics of all threads add up: what is read from elsewhere at every scrape belongs here.
   * @returns texts for the start message of the server
   */
  open?(ctx: PluginContext<C, S & N>): Promise<readonly string[]>;
  /** @returns whether the plugin is ready, in addition to the states of its actors */
  status?(ctx: PluginContext<C, S & N>): Status | Promise<Status>;
}

// biome-ignore lint/suspicious/noExplicitAny: the kernel passes on the configuration and actors of any plugin without knowing their types.
export type AnyPlugin = Plugin<any, any, any>;

/** Returns the plugin unchanged; it only helps type inference. */
export function definePlugin<C, S extends Actors = Actors, N extends Actors = S>(plugin: Plugin<C, S, N>): Plugin<C, S, N> {
  return plugin;
}

/** @returns the name of the plugin's section in config.toml */
export function sectionOf({ section, name }: AnyPlugin): string {
  return section ?? name;
}
