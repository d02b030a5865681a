// The interface of the actor of an HSM instance: its calls and its arguments.

export interface HsmArgs {
  /** Routing prefix: `hsm::soft_hsm`, `hsm::soft_hsm_1`. */
  readonly prefix: string;
  /** Path of the PKCS#11 library; empty if none of the model's usual paths exists. */
  readonly library: string;
  readonly slots: readonly { readonly number: number; readonly pin: string }[];
  readonly probeSeconds: number;
  /** No other instance in this process uses the library, so this one may finalise it. */
  readonly alone: boolean;
}

export interface SlotStatus {
  /** The number in the configuration. */
  readonly slot_id: number;
  /** The last probe succeeded: the token is present and logged in. */
  readonly accessible: boolean;
}

export type HsmApi = {
  /** Probes every slot now, unless the last probe ended within the last second. */
  probe(): Promise<readonly SlotStatus[]>;
};
