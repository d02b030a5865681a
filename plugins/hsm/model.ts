// The description of an HSM model: plain data, so that it can be sent to another thread and printed.
import type { HsmHints, HsmQuirks } from '../../actors/hsm/api.ts';

export type HsmPlatform = 'linux' | 'darwin';

export interface HsmModel {
  /** Name in `hsm_model` and in identifiers: `^[a-z][a-z0-9_]*$`. It does not end in `_<digits>`, because that numbers further instances. */
  readonly model: string;
  readonly about: string;
  /** Usual paths of its PKCS#11 library on each platform where the model can be used; the first that exists is loaded, unless the configuration names another. */
  readonly libraries: Readonly<Partial<Record<HsmPlatform, readonly string[]>>>;
  /** The environment variable that names the library instead, if the configuration does not. */
  readonly libraryVariable?: string;
  /** Environment variables that the library reads; an instance in a process of its own gets only these. */
  readonly env: readonly string[];
  /** Text for C_Initialize, as NSS takes it; `{NAME}` stands for a variable of `env`. */
  readonly initializeText?: string;
  readonly quirks?: HsmQuirks;
  /** What the operator can do; added to the reason of a slot that is not accessible. */
  readonly hints?: HsmHints;
}

/** Returns its argument; it exists for type inference. A new model is one file with such a default export. */
export function defineHsmModel(model: HsmModel): HsmModel {
  return model;
}
