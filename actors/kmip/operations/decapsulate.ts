// Decapsulate: takes the secret out of what Encapsulate has made for the public key of the pair (KMIP 3.0 section 6.1.15).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireKem, secretToMake } from '../creation/shared-secret.ts';
import { USE } from '../object/life/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { useKey } from '../use/use-key.ts';

export const decapsulate = {
  name: 'Decapsulate',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'Attributes']),
  leaves: [{ tag: TAG.UniqueIdentifier }],
  event: 'key.decapsulate',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const { key } = await useKey(ctx, request, USE.Decapsulate);
  if (key.kind !== 'private') throw new Refusal('InvalidObjectType', `a secret is decapsulated with a private key: ${key.id} is none`);
  requireKem(request, key);
  const data = required(bytesOf(request, TAG.Data), TAG.Data);
  const make = await secretToMake(request, ctx, decapsulate.event);
  return [text(TAG.UniqueIdentifier, await make(await key.decapsulate(data)))];
}
