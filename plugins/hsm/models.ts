// The list of HSM models.
import type { HsmModel } from './model.ts';
import other from './other.ts';
import smartcardHsm from './smartcard_hsm.ts';
import softHsm from './soft_hsm.ts';
import vendorA from './vendor_a.ts';
import vendorB from './vendor_b.ts';
import vendorC from './vendor_c.ts';

export const HSM_MODELS: readonly HsmModel[] = [softHsm, smartcardHsm, vendorA, vendorB, vendorC, other];

export function findModel(name: string): HsmModel {
  const model = HSM_MODELS.find((candidate) => candidate.model === name);
  if (!model) throw new TypeError(`unknown HSM model ${name}`);
  return model;
}
