// The list of built-in HSM models, and the models that other modules and plugins add to it.
import type { Addition } from '../../kernel/plugin.ts';
import type { HsmModel } from './model.ts';
import { checkModel } from './model-shape.ts';
import nss from './nss.ts';
import other from './other.ts';
import smartcardHsm from './smartcard_hsm.ts';
import softHsm from './soft_hsm.ts';
import tpm2 from './tpm2.ts';
import vendorA from './vendor_a.ts';
import vendorB from './vendor_b.ts';
import vendorC from './vendor_c.ts';

export const HSM_MODELS: readonly HsmModel[] = [softHsm, smartcardHsm, vendorA, vendorB, vendorC, tpm2, nss, other];

interface Models {
  /** By name. */
  readonly models: ReadonlyMap<string, HsmModel>;
  readonly problems: readonly string[];
}

/** A model with problems is left out; its name is not usable then either. */
export function withAdditions(additions: readonly Addition[]): Models {
  const models = new Map(HSM_MODELS.map((each) => [each.model, each]));
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const { from, value } of additions) {
    const { model, problems: own } = checkModel(value, from);
    problems.push(...own);
    if (!model) continue;
    if (models.has(model.model)) problems.push(`${from}: the model ${model.model} is already defined by ${owners.get(model.model) ?? 'the server'}; rename it`);
    else models.set(model.model, model);
    owners.set(model.model, from);
  }
  return { models, problems };
}
