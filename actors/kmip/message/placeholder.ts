// The ID placeholder: the identifier that an item of a batch created or found, for the items after it (specification 2.1 section 6, ID Placeholder).
import { type Node, TYPE } from '../../../kmip/ttlv/node.ts';
import type { LeftIdentifier, Operation } from '../operation.ts';
import type { Batch } from '../operation-context.ts';

/** Sections 6.1.28 and 6.1: a Locate that finds no object or several objects clears the placeholder. */
export function noteIdentifiers({ leaves }: Pick<Operation, 'leaves'>, answer: readonly Node[], batch: Batch): void {
  if (!leaves) return;
  const ids = leaves.map((left) => identifierLeft(left, answer));
  for (const [at, { code }] of leaves.entries()) {
    const id = ids[at];
    if (code === undefined) continue;
    if (id === undefined) batch.made?.delete(code);
    else {
      batch.made ??= new Map();
      batch.made.set(code, id);
    }
  }
  batch.placeholder = ids.find((id) => id !== undefined);
}

function identifierLeft({ tag, alone }: LeftIdentifier, answer: readonly Node[]): string | undefined {
  const named = answer.filter((node) => node.tag === tag && node.type === TYPE.TextString);
  return alone && named.length !== 1 ? undefined : (named[0]?.value as string | undefined);
}
