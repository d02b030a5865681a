// The description of an HSM model: plain data, so that it can be sent to another thread and printed.

export interface HsmModel {
  /** Name in `hsm_model` and in identifiers: `^[a-z][a-z0-9_]*$`. It does not end in `_<digits>`, because that numbers further instances. */
  readonly model: string;
  readonly about: string;
  /** Usual paths of its PKCS#11 library; the first that exists is loaded, unless the configuration names another. */
  readonly libraries: readonly string[];
  /** Environment variables that the library reads; an instance in a process of its own gets only these. */
  readonly env: readonly string[];
}

/** Returns its argument; it exists for type inference. A new model is one file with such a default export. */
export function defineHsmModel(model: HsmModel): HsmModel {
  return model;
}
