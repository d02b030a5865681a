// What an item of a batch leaves for the next ones: the identifier of the object it made or found (specification 2.1 section 6, ID Placeholder).
import type { Batch, OperationName } from '../operations/operation.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { type Node, TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';

const { UniqueIdentifier } = ENUM;

/** Operations whose answer names the object that the placeholder then stands for. */
const MAKES: Readonly<Partial<Record<OperationName, { readonly tag: number; readonly code: number }[]>>> = {
  Create: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.Create }],
  CreateKeyPair: [
    { tag: TAG.PrivateKeyUniqueIdentifier, code: UniqueIdentifier.CreateKeyPairPrivateKey },
    { tag: TAG.PublicKeyUniqueIdentifier, code: UniqueIdentifier.CreateKeyPairPublicKey },
  ],
  CreateSplitKey: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.CreateSplitKey }],
  JoinSplitKey: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.JoinSplitKey }],
  Register: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.Register }],
  Import: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.Import }],
  DeriveKey: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.DeriveKey }],
  Certify: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.Certify }],
  ReCertify: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.ReCertify }],
  ReKey: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.ReKey }],
  ReKeyKeyPair: [
    { tag: TAG.PrivateKeyUniqueIdentifier, code: UniqueIdentifier.ReKeyKeyPairPrivateKey },
    { tag: TAG.PublicKeyUniqueIdentifier, code: UniqueIdentifier.ReKeyKeyPairPublicKey },
  ],
  Locate: [{ tag: TAG.UniqueIdentifier, code: UniqueIdentifier.Locate }],
};

export function noteIdentifiers(operation: OperationName, answer: readonly Node[], batch: Batch): void {
  const makes = MAKES[operation];
  if (!makes) return;
  let first: string | undefined;
  for (const { tag, code } of makes) {
    const node = answer.find((each) => each.tag === tag);
    if (node?.type !== TYPE.TextString) continue;
    first ??= node.value;
    batch.made.set(code, node.value);
  }
  if (operation === 'CreateKeyPair' && first !== undefined) batch.made.set(UniqueIdentifier.CreateKeyPair, first);
  if (operation === 'ReKeyKeyPair' && first !== undefined) batch.made.set(UniqueIdentifier.ReKeyKeyPair, first);
  // A Locate that finds nothing leaves nothing to stand for.
  batch.placeholder = first;
}
