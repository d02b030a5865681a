// What an operator must know about an HSM model: plain data, so that it can cross a port and be printed.

export interface HsmModel {
  /** Name in `hsm_model` and in identifiers: `^[a-z][a-z0-9_]*$`, not ending in `_<digits>`, which number further instances. */
  readonly model: string;
  readonly about: string;
  /** Where its PKCS#11 library is usually found; the first that exists is loaded, unless the configuration names another. */
  readonly libraries: readonly string[];
  /** Variables that the library reads itself; an instance in a process of its own gets these and no others. */
  readonly env: readonly string[];
}

/** Identity, for inference: a new model is one file with this as its default export. */
export function defineHsmModel(model: HsmModel): HsmModel {
  return model;
}
