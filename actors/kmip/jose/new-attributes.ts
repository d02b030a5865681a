// The attributes of each key that the crypto API creates or imports: it is active at once.
import type { KeyPurpose } from '../../../jose/key-purpose.ts';
import { AttributeSet } from '../../../kmip/attribute/set.ts';
import { dateTime, integer } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../operation-context.ts';

export function attributesFor(ctx: OperationContext, mask: number, { parameters }: KeyPurpose): AttributeSet {
  const attributes = new AttributeSet();
  attributes.set(integer(TAG.CryptographicUsageMask, mask));
  attributes.set(dateTime(TAG.ActivationDate, ctx.now));
  if (parameters) attributes.set(parameters);
  return attributes;
}
