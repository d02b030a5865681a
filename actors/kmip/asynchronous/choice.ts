// Decides which items of a message are answered later (KMIP specification 2.1 section 11.3, 1.4 section 6.7).
import type { AsynchronousIndicator, BatchItem, ErrorContinuation } from '../../../kmip/message/request.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operations } from '../operation.ts';

const { CryptographicAlgorithm } = ENUM;

/** Where the server may choose, these are answered later: generating RSA or SLH-DSA keys takes from some 100 ms to minutes. */
const LONG: ReadonlySet<OperationName | undefined> = new Set<OperationName>(['CreateKeyPair', 'ReKeyKeyPair']);
/** Pairs that are generated within a few milliseconds: asking again would take longer. */
const QUICK_PAIRS: ReadonlySet<number> = new Set([
  ...[CryptographicAlgorithm.EC, CryptographicAlgorithm.ECDSA, CryptographicAlgorithm.ECDH, CryptographicAlgorithm.Ed25519, CryptographicAlgorithm.Ed448],
  ...[CryptographicAlgorithm.MLKEM_512, CryptographicAlgorithm.MLKEM_768, CryptographicAlgorithm.MLKEM_1024],
  ...[CryptographicAlgorithm.MLDSA_44, CryptographicAlgorithm.MLDSA_65, CryptographicAlgorithm.MLDSA_87],
]);
const ALGORITHM_1 = 'Cryptographic Algorithm';

/**
 * Items are executed in their order, so all items from the first one that is answered later are.
 * @returns its index; the number of items if all are answered at once
 * @throws Refusal InvalidMessage if all items must be answered later and one cannot be
 */
export function firstLater(indicator: AsynchronousIndicator, items: readonly BatchItem[], onError: ErrorContinuation, operations: Operations): number {
  // They all fail at once, and nothing is executed.
  if (indicator === 'Prohibited' || items.every(({ refusal }) => refusal)) return items.length;
  const immediate = items.find(({ operation }) => operation && operations[operation]?.isImmediate);
  if (immediate && indicator === 'Mandatory')
    throw new Refusal('InvalidMessage', `${immediate.operation} is always answered at once: send it without AsynchronousIndicator Mandatory`);
  if (immediate) return items.length;
  if (indicator === 'Mandatory') return 0;
  const at = items.findIndex(takesLong);
  if (at === -1) return items.length;
  // What is undone together is executed together.
  return onError === 'Undo' ? 0 : at;
}

function takesLong({ operation, refusal, payload }: BatchItem): boolean {
  if (refusal || !LONG.has(operation)) return false;
  const algorithm = algorithmIn(payload);
  return algorithm === undefined || !QUICK_PAIRS.has(algorithm);
}

/** In the form of any version. A decoder has limited the depth. */
function algorithmIn({ value }: Structure): number | undefined {
  const [first, second] = value;
  if (first?.tag === TAG.AttributeName && first.value === ALGORITHM_1 && second?.type === TYPE.Enumeration) return second.value;
  for (const node of value) {
    const found =
      node.type === TYPE.Structure ? algorithmIn(node) : node.tag === TAG.CryptographicAlgorithm && node.type === TYPE.Enumeration ? node.value : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
