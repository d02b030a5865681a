// Encapsulate: makes a secret that the owner of a private key can have too, and what to send to that owner (KMIP 3.0 section 6.1.22).
import { encapsulate as encapsulateFor } from '../../../crypto/key/encapsulation.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireKem, secretToMake } from '../creation/shared-secret.ts';
import { USE } from '../object/life/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { useKey } from '../use/use-key.ts';

export const encapsulate = {
  name: 'Encapsulate',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Attributes']),
  leaves: [{ tag: TAG.UniqueIdentifier }],
  event: 'key.encapsulate',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const use = await useKey(ctx, request, USE.Encapsulate);
  const { key } = use;
  if (key.kind !== 'public') throw new Refusal('InvalidObjectType', `a secret is encapsulated with a public key: ${key.id} is none`);
  requireKem(request, key);
  const make = await secretToMake(request, ctx, encapsulate.event);
  const { sharedSecret, ciphertext } = encapsulateFor(await key.publicKey());
  await use.spend(sharedSecret.length);
  return [text(TAG.UniqueIdentifier, await make(sharedSecret)), bytes(TAG.Data, ciphertext)];
}
