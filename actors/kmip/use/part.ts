// Determines which part of a multi-part operation a request is (KMIP specification 2.1 section 6).
import { Refusal } from '../../../kmip/refusal.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { booleanOf, bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

/** One of several parts. */
export type PartOfMany =
  | { readonly is: 'first' }
  /** `value` is the CorrelationValue of the first part. */
  | { readonly is: 'next' | 'last'; readonly value: Uint8Array };

export type Part = { readonly is: 'whole' } | PartOfMany;

const WHOLE: Part = Object.freeze({ is: 'whole' });
const FIRST: Part = Object.freeze({ is: 'first' });

/**
 * InitIndicator and FinalIndicator together without a CorrelationValue mean a single part, as section 6 says.
 * @throws Refusal InvalidField for a combination that does not make sense, InvalidMessage
 */
export function partOf(request: Structure): Part {
  const init = booleanOf(request, TAG.InitIndicator) === true;
  const final = booleanOf(request, TAG.FinalIndicator) === true;
  const value = bytesOf(request, TAG.CorrelationValue);
  if (value === undefined) {
    if (final !== init) return init ? FIRST : noValue();
    return WHOLE;
  }
  if (init) throw new Refusal('InvalidField', 'give either InitIndicator, to begin a multi-part operation, or CorrelationValue, to continue one');
  return { is: final ? 'last' : 'next', value };
}

function noValue(): never {
  throw new Refusal('InvalidField', 'FinalIndicator needs the CorrelationValue that the first part returned');
}
