// ReCertify: replaces a certificate with a new one for the same key, linked to it and with its names (KMIP 2.1 section 6.1.45).
import { CERTIFICATE_REQUEST, OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { reCertifyDraft } from '../certificate/renewal.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import { withOutside } from '../object/outside.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const reCertify = {
  name: 'ReCertify',
  members: payloadMembers([...OBJECT, ...CERTIFICATE_REQUEST, 'Offset', 'Attributes', 'ProtectionStorageMasks']),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.ReCertify }],
  event: 'key.recertify',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  requireStorage(request, TAG.ProtectionStorageMasks);
  const id = await withOutside((outside) => ctx.change(async (tx) => (await reCertifyDraft(tx, await tx.use(request, 'ReCertify'), request, ctx, outside)).id));
  return [text(TAG.UniqueIdentifier, id)];
}
