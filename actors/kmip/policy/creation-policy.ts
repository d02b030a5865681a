// What a caller has told the server of the objects that it will make: constraints and defaults, a row for each caller (KMIP specification 2.1 sections 6.1.52 and 6.1.53).
import type { Reader, Transaction } from '../../../kernel/store/store.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type ScopedAttributes, scopedAttributes } from './scoped-attributes.ts';

export interface CreationPolicy {
  readonly constraints: readonly ScopedAttributes[];
  readonly defaults: readonly ScopedAttributes[];
  /** As the client has set them. */
  readonly told: { readonly constraints: Structure; readonly defaults: Structure };
}

type Part = keyof CreationPolicy['told'];

const TAGS: Readonly<Record<Part, number>> = { constraints: TAG.Constraints, defaults: TAG.DefaultsInformation };

const policyWith = (told: CreationPolicy['told']): CreationPolicy => ({
  constraints: scopedAttributes(told.constraints),
  defaults: scopedAttributes(told.defaults),
  told,
});

export const NO_POLICY: CreationPolicy = policyWith({ constraints: structure(TAGS.constraints, []), defaults: structure(TAGS.defaults, []) });

export async function readPolicy(from: Reader, identity: string): Promise<CreationPolicy> {
  const row = await from.get<Record<Part, Uint8Array | null>>('SELECT constraints, defaults FROM kms_policy WHERE identity = $1', [identity]);
  if (!row) return NO_POLICY;
  const told = (part: Part) => (row[part] === null ? NO_POLICY.told[part] : decodeBinary(row[part]));
  return policyWith({ constraints: told('constraints'), defaults: told('defaults') });
}

/** @param list undefined or empty to remove them */
export async function writePolicy(tx: Transaction, identity: string, part: Part, list: Structure | undefined): Promise<void> {
  const bytes = list && list.value.length > 0 ? encodeBinary(list) : null;
  const changed = await tx.run(`UPDATE kms_policy SET ${part} = $2 WHERE identity = $1`, [identity, bytes]);
  if (changed === 0 && bytes !== null) await tx.run(`INSERT INTO kms_policy (identity, ${part}) VALUES ($1, $2)`, [identity, bytes]);
  await tx.run('DELETE FROM kms_policy WHERE identity = $1 AND constraints IS NULL AND defaults IS NULL', [identity]);
}
