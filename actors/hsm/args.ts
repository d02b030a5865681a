// What the actor of an HSM instance is started with, from its table of the configuration and its model.
import type { SecretFile } from '../../kernel/config/secret-file.ts';
import type { HsmHints, HsmQuirks } from './quirks.ts';

export interface HsmPeer {
  readonly prefix: string;
  /** Its `hsm_slot`. */
  readonly slots: readonly number[];
  /** It comes before this one in the configuration. */
  readonly isBefore: boolean;
}

export interface HsmArgs {
  /** Routing prefix: `hsm::soft_hsm`, `hsm::soft_hsm_1`. */
  readonly prefix: string;
  /** Path of the PKCS#11 library; empty if none of the model's usual paths exists. */
  readonly library: string;
  /** A PIN in a file is read each time that it is sent, and held by nobody. */
  readonly slots: readonly { readonly number: number; readonly pin: string | SecretFile }[];
  /** The other instances that see the tokens of this one, because they use its library in the same way. */
  readonly peers?: readonly HsmPeer[];
  /** Names of the users who administer the keys of this instance; `*` means everybody. */
  readonly admins: readonly string[];
  readonly probeSeconds: number;
  /** Time limit of a call in milliseconds, with its wait, if it is shorter than that of the actor. */
  readonly deadlineMs?: number;
  /** Milliseconds after which a call counts as one that does not return; default 30 000. */
  readonly stallMs?: number;
  /** The instance has a process of its own, which is ended if a call does not return. */
  readonly isolated?: boolean;
  /** Threads that use keys at the same time. Default: one, which is the instance's own. */
  readonly threads?: number;
  /** Text for C_Initialize, for libraries that take one. */
  readonly initializeText?: string | undefined;
  readonly quirks?: HsmQuirks;
  readonly hints?: HsmHints;
  /** No other instance in this process uses the library, so this one may finalise it. */
  readonly alone: boolean;
}
