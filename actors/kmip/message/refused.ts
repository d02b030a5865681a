// The outcome of an item that is refused: why, and the fields of the request that are not permitted, if the operation tells them.
import { downgradePayload } from '../../../kmip/message/legacy.ts';
import type { BatchItem } from '../../../kmip/message/request.ts';
import { type Refusal, RefusedFields } from '../../../kmip/refusal.ts';
import type { Version } from '../../../kmip/version.ts';
import type { Outcome } from './batch.ts';

export function refusedOutcome(refusal: Refusal, item: BatchItem, version: Version): Outcome {
  const { reason, message } = refusal;
  const outcome = { item, status: 'OperationFailed', reason, message } as const;
  if (!(refusal instanceof RefusedFields) || item.operation === undefined) return outcome;
  return { ...outcome, payload: downgradePayload(item.operation, refusal.fields, version) };
}
