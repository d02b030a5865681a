// The terms that Login and DelegatedLogin ask for: how long, and how often, a ticket is good (KMIP specification 2.1 sections 6.1.12 and 6.1.30).
import { Refusal } from '../../kmip/refusal.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../kmip/ttlv/node.ts';
import { child, codeOf, integerOf, intervalOf, longOf, required, structureOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';

export interface TicketTerms {
  /** Seconds since the epoch; null for no end. */
  readonly endsAt: number | null;
  /** Messages that may carry it; null for any number. */
  readonly requests: number | null;
  /** Batch items of all those messages together; null for any number. */
  readonly operations: number | null;
}

/** @param now seconds since the epoch @throws Refusal InvalidField, FeatureNotSupported */
export function termsOf(request: Structure, now: number): TicketTerms {
  return { endsAt: endOf(request, now), requests: requestsOf(request), operations: operationsOf(request) };
}

/** Without a LeaseTime, and with one of 0, a ticket has no end, as in the test cases of OASIS (TC-LOGIN). */
function endOf(request: Structure, now: number): number | null {
  const lease = child(request, TAG.LeaseTime);
  if (lease?.type === TYPE.DateTime) {
    if (lease.value <= now) throw new Refusal('InvalidField', 'LeaseTime must be in the future');
    return lease.value;
  }
  const seconds = intervalOf(request, TAG.LeaseTime) ?? 0;
  return seconds === 0 ? null : now + seconds;
}

/** As with LeaseTime, 0 is no limit (TC-DLOGIN-2). */
function requestsOf(request: Structure): number | null {
  const requests = integerOf(request, TAG.RequestCount) ?? 0;
  if (requests < 0) throw new Refusal('InvalidField', 'RequestCount must not be negative');
  return requests === 0 ? null : requests;
}

/** A new ticket has used nothing, so its UsageLimitsCount is its total, whatever the client says. */
function operationsOf(request: Structure): number | null {
  const limits = structureOf(request, TAG.UsageLimits);
  if (!limits) return null;
  const unit = required(codeOf(limits, TAG.UsageLimitsUnit), TAG.UsageLimitsUnit);
  if (unit !== ENUM.UsageLimitsUnit.Object) throw new Refusal('FeatureNotSupported', 'UsageLimits of a ticket count operations: the UsageLimitsUnit is Object');
  const total = required(longOf(limits, TAG.UsageLimitsTotal), TAG.UsageLimitsTotal);
  if (total < 1n || total > BigInt(Number.MAX_SAFE_INTEGER)) throw new Refusal('InvalidField', 'UsageLimitsTotal must be at least 1, and below 2^53');
  return Number(total);
}
