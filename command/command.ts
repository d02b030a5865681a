// What a command is: its words, its flags, an example for its help, and its work with what every command needs.
import type { Client } from '../client/client.ts';
import type { Output } from './output.ts';
import type { Prompts } from './prompts.ts';

export interface Surroundings {
  readonly out: Output;
  readonly prompts: Prompts;
  readonly env: NodeJS.ProcessEnv;
  /** Path of the profile that `--profile` names. */
  readonly profile: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** The client of the profile's server; made when a command first asks for it. @throws CommandError without a profile */
  client(): Client;
}

/** The arguments in their order. Required ones are there, because the parser has checked; one that may be missing is undefined all the same. */
export type Words = readonly [string, string, string, string, ...string[]];

/** A flag that may be repeated gives a list; one without a value gives true. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Flag {
  /** As commander writes it: `--tag <tag>`; `<tag...>` may be repeated. */
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
}

export interface Command<F = Flags> {
  readonly name: string;
  readonly about: string;
  /** As commander writes them: `<required>`, `[optional]`, `[several...]`. */
  readonly args?: readonly (readonly [name: string, about: string])[];
  readonly flags?: readonly Flag[];
  /** Shown in the help; a test parses each. */
  readonly example: string;
  run(given: Surroundings, args: Words, flags: F): void | Promise<void>;
}

export interface Group {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly Command[];
}

/** Types the flags of one command; which they are is said beside. */
export function command<F = Record<never, never>>(given: Command<F>): Command {
  return given as unknown as Command;
}

export const flag = (flags: string, about: string, choices?: readonly string[]): Flag => ({ flags, about, ...(choices && { choices }) });
