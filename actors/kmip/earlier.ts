// What the earlier items of a batch have answered, for the later ones that refer to it instead of repeating it (KMIP specification 2.1 sections 4.58 and 7.9).
import type { BatchItem } from '../../kmip/message/request.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { Refusal } from '../../kmip/refusal.ts';
import type { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { LIMITS } from '../../kmip/ttlv/limits.ts';
import { bytes, type Node, type Structure, structure, TYPE } from '../../kmip/ttlv/node.ts';
import { nameOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Batch, OperationContext } from './operation-context.ts';

/** An item that has succeeded. */
export interface Earlier {
  readonly operation: OperationName;
  /** Of its response payload, in the form of 2.1, those too that are not shown. */
  readonly members: readonly Node[];
}

/** What operations make of data, which an item with Ephemeral does not show. */
const OUTPUTS: ReadonlySet<number> = new Set([TAG.Data, TAG.MACData, TAG.SignatureData]);
const IDENTIFIERS: ReadonlySet<number> = new Set([TAG.UniqueIdentifier, TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier]);
/** Data may be taken many times: all of it together is no more than a request can hold. */
const MAX_TAKEN_BYTES = LIMITS.bytes;

/** The operations whose output a value of the Data enumeration stands for (section 11.13). */
const OPERATION_OF: Readonly<Record<keyof (typeof ENUM)['Data'], OperationName>> = {
  Decrypt: 'Decrypt',
  Encrypt: 'Encrypt',
  Hash: 'Hash',
  MACMACData: 'MAC',
  RNGRetrieve: 'RNGRetrieve',
  SignSignatureData: 'Sign',
  SignatureVerify: 'SignatureVerify',
};

const isOutput = ({ tag }: Node): boolean => OUTPUTS.has(tag);
const isReference = ({ tag, type }: Node): boolean => tag === TAG.Data && (type === TYPE.Enumeration || type === TYPE.Integer);

/** @param members of the response payload, in the form of 2.1 @returns those that the client wants to see */
export function shownOf({ ephemeral }: BatchItem, members: readonly Node[]): readonly Node[] {
  if (ephemeral === 'Empty') return [];
  return ephemeral === 'Data' ? members.filter((node) => !isOutput(node)) : members;
}

/** From now on later items can refer to what earlier ones have answered: in KMIP 2.x only. */
export function noteEarlier({ version, batch }: Pick<OperationContext, 'version' | 'batch'>): void {
  if (version.major > 1) batch.earlier ??= [];
}

/** Whether one of the items refers to what others have answered. */
export function refersBack(items: readonly Pick<BatchItem, 'payload'>[]): boolean {
  return items.some(({ payload }) => payload.value.some((node) => isReference(node) || (IDENTIFIERS.has(node.tag) && node.type === TYPE.Integer)));
}

/** @returns the payload with the bytes in place of a reference @throws Refusal InvalidField if there are none, ServerLimitExceeded */
export function withData(payload: Structure, batch: Batch): Structure {
  if (!payload.value.some(isReference)) return payload;
  return structure(
    payload.tag,
    payload.value.map((node) => (isReference(node) ? bytes(TAG.Data, taken(node, batch)) : node)),
  );
}

function taken(node: Node, batch: Batch): Uint8Array {
  const found = node.type === TYPE.Enumeration ? ofOperation(node.value, batch) : at(node.value as number, outputs(batch), 'Data');
  batch.takenBytes = (batch.takenBytes ?? 0) + found.length;
  if (batch.takenBytes > MAX_TAKEN_BYTES)
    throw new Refusal('ServerLimitExceeded', `the items of a batch can take at most ${MAX_TAKEN_BYTES} bytes of Data from each other`);
  return found;
}

function ofOperation(code: number, batch: Batch): Uint8Array {
  const name = nameOf('Data', code);
  const found = (batch.earlier ?? []).findLast(({ operation, members }) => operation === OPERATION_OF[name] && members.some(isOutput));
  if (!found) throw new Refusal('InvalidField', `no earlier item of this batch has made the Data that ${name} stands for`);
  return outputOf(found)[0] as Uint8Array;
}

const outputs = ({ earlier = [] }: Batch): readonly Uint8Array[] => earlier.flatMap(outputOf);
const outputOf = ({ members }: Earlier): Uint8Array[] => members.filter(isOutput).map(({ value }) => value as Uint8Array);

/** @param place zero-based, or counted backwards from the current item if it is negative @throws Refusal InvalidField */
export function identifierAt(place: number, { earlier = [] }: Batch): string {
  const all = earlier.flatMap(({ members }) => members.filter(({ tag, type }) => IDENTIFIERS.has(tag) && type === TYPE.TextString));
  return at(
    place,
    all.map(({ value }) => value as string),
    'UniqueIdentifier',
  );
}

function at<T>(place: number, all: readonly T[], what: string): T {
  const found = all.at(place);
  if (found === undefined) throw new Refusal('InvalidField', `the earlier items of this batch have answered no ${what} ${place}`);
  return found;
}
