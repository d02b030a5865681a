// What a check of `gatehouse doctor` finds, and what it looks at.
import type { KernelConfig } from '../../kernel/config/sections.ts';
import type { MigrationSet } from '../../kernel/store/migrate.ts';

export interface Finding {
  /** `problem`: the server does not start or does not work; `warning`: it soon will not, or is less safe than it could be. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly about: string;
  readonly says: string;
  /** What to do. */
  readonly advice?: string;
}

export interface Installation {
  readonly config: KernelConfig;
  /** Of the plugins, by their names. */
  readonly sections: ReadonlyMap<string, unknown>;
  /** Of the plugins. */
  readonly migrations: readonly MigrationSet[];
  /** Files that the configuration names as those of secrets: absolute paths, by their keys. */
  readonly secretFiles: ReadonlyMap<string, string>;
  /** Folder of relative paths in the configuration. */
  readonly base: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type Check = (installation: Installation) => readonly Finding[] | Promise<readonly Finding[]>;

export const ok = (about: string, says: string): Finding => ({ state: 'ok', about, says });
export const warning = (about: string, says: string, advice: string): Finding => ({ state: 'warning', about, says, advice });
export const problem = (about: string, says: string, advice: string): Finding => ({ state: 'problem', about, says, advice });
