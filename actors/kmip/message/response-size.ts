// Keeps a response within MaximumResponseSize, without telling a client that a change has failed which was made (KMIP 2.1 section 9.12).
import type { BatchItem } from '../../../kmip/message/request.ts';
import { type ItemOutcome, type ResponseHead, responseMessage } from '../../../kmip/message/response.ts';
import { binarySize } from '../../../kmip/ttlv/binary.ts';
import { type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation, Operations } from '../operation.ts';
import type { Outcome } from './batch.ts';

/** As long as those that the server makes. */
const IDENTIFIER = '0'.repeat(36);

/** Whether an operation that succeeds leaves something that is worth its answer. */
export function isChange({ operation: name }: BatchItem, operations: Operations): boolean {
  return name !== undefined && name !== 'Export' && operations[name]?.event !== undefined;
}

/**
 * The outcomes of items that are not started, because not even the shortest answer to their changes has room. The identifiers of new objects
 * would be lost.
 */
export function refuseChanges(head: ResponseHead, items: readonly BatchItem[], maximum: number, operations: Operations): Outcome[] | undefined {
  if (!items.some((item) => isChange(item, operations))) return undefined;
  const shortest = items.map((item): ItemOutcome => {
    if (!isChange(item, operations)) return brief(item);
    const { leaves = [{ tag: TAG.UniqueIdentifier }] } = operations[item.operation as Operation['name']] as Operation;
    return { item, status: 'Success', payload: [...new Set(leaves.map(({ tag }) => tag))].map((tag) => text(tag, IDENTIFIER)) };
  });
  if (binarySize(responseMessage(head, shortest)) <= maximum) return undefined;
  return items.map((item) => tooLarge(item, maximum, '; nothing was started'));
}

/** The answer. If it is too large, the items that have only read something give up theirs; the size is that of the binary encoding, whatever is sent. */
export function limitSize(head: ResponseHead, outcomes: readonly Outcome[], maximum: number | undefined, operations: Operations): Structure {
  const answer = responseMessage(head, outcomes);
  if (maximum === undefined || binarySize(answer) <= maximum) return answer;
  const isMade = ({ item, status }: Outcome) => status === 'OperationPending' || (status === 'Success' && isChange(item, operations));
  // The answers to changes have the room rather than the words to what has only read something.
  for (const give of outcomes.some(isMade) ? [tooLarge, brief] : []) {
    const short = responseMessage(
      head,
      outcomes.map((outcome) => (isMade(outcome) ? outcome : give(outcome.item, maximum))),
    );
    if (binarySize(short) <= maximum) return short;
  }
  return responseMessage(
    head,
    outcomes.map((outcome) => tooLarge(outcome.item, maximum, isMade(outcome) ? '; the change was made' : '')),
  );
}

/** The shortest one. */
const brief = (item: BatchItem): Outcome => ({ item, status: 'OperationFailed', reason: 'ResponseTooLarge', message: 'TOO_LARGE' });

export function tooLarge(item: BatchItem, maximum: number, more = ''): Outcome {
  return { item, status: 'OperationFailed', reason: 'ResponseTooLarge', message: `TOO_LARGE: the response has more than ${maximum} bytes${more}` };
}
