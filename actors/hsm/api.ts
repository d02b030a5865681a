// What the actor of an HSM instance answers, and what it is made from.

export interface HsmArgs {
  /** Routing prefix: `hsm::soft_hsm`, `hsm::soft_hsm_1`. */
  readonly prefix: string;
  /** Path of the PKCS#11 library; empty where none of the model's usual ones exists. */
  readonly library: string;
  readonly slots: readonly { readonly number: number; readonly pin: string }[];
  readonly probeSeconds: number;
  /** No other instance shares the library's state in this process: it may be finalised. */
  readonly alone: boolean;
}

export interface SlotStatus {
  /** As configured. */
  readonly slot_id: number;
  /** The last probe succeeded: the token is there and logged in. */
  readonly accessible: boolean;
}

export type HsmApi = {
  /** Looks at every slot now, unless that was done within the last second. */
  probe(): Promise<readonly SlotStatus[]>;
};
