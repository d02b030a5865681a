// The link from a public key to its newest certificate.
import { setLink } from '../object/create.ts';
import { markChanged, settle } from '../object/life/lifecycle.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import type { ObjectTransaction } from '../operation-context.ts';

/** Links the public key to its newest certificate. */
export async function linkPublicKey(tx: ObjectTransaction, publicKey: DescriptionDraft, certificate: string, now: number): Promise<void> {
  settle(publicKey, now);
  setLink(publicKey, 'CertificateLink', certificate);
  markChanged(publicKey, now);
  await tx.update(publicKey);
}
