// What an item of a batch leaves for the next ones: the identifier of the object it made or found (specification 2.1 section 6, ID Placeholder).
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Batch } from '../operations/operation.ts';

const { UniqueIdentifier } = ENUM;

interface Made {
  readonly tag: number;
  /** Of the UniqueIdentifier enumeration. */
  readonly code: number;
}

/** Operations whose answer names the object that the placeholder then stands for. */
const MAKES: Readonly<Partial<Record<OperationName, readonly Made[]>>> = {
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
};

export function noteIdentifiers(operation: OperationName, answer: readonly Node[], batch: Batch): void {
  const ids = answer.filter(({ tag, type }) => tag === TAG.UniqueIdentifier && type === TYPE.TextString).map(({ value }) => value as string);
  // Sections 6.1.28 and 6.1: a Locate that finds none or several leaves nothing to stand for; a Recover makes nothing, and is for what follows.
  if (operation === 'Locate') return noteFound(ids.length === 1 ? ids[0] : undefined, batch);
  if (operation === 'Recover') batch.placeholder = ids[0];
  const makes = MAKES[operation];
  if (makes) noteMade(operation, makes, answer, batch);
}

function noteFound(id: string | undefined, batch: Batch): void {
  batch.placeholder = id;
  if (id === undefined) batch.made.delete(UniqueIdentifier.Locate);
  else batch.made.set(UniqueIdentifier.Locate, id);
}

function noteMade(operation: OperationName, makes: readonly Made[], answer: readonly Node[], batch: Batch): void {
  let first: string | undefined;
  for (const { tag, code } of makes) {
    const node = answer.find((each) => each.tag === tag);
    if (node?.type !== TYPE.TextString) continue;
    first ??= node.value;
    batch.made.set(code, node.value);
  }
  if (operation === 'CreateKeyPair' && first !== undefined) batch.made.set(UniqueIdentifier.CreateKeyPair, first);
  if (operation === 'ReKeyKeyPair' && first !== undefined) batch.made.set(UniqueIdentifier.ReKeyKeyPair, first);
  batch.placeholder = first;
}
