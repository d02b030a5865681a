// SignatureVerify (KMIP specification 2.1 section 6.1.56), with any generation of a keyset, public keys and certificates.
import { verify } from '../../../crypto/signature/sign.ts';
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import { asymmetricKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { opened } from '../object/opened.ts';
import { requireUse, USE, unusable } from '../object/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { isPublic } from '../use/asymmetric.ts';
import { noData } from '../use/cipher-rules.ts';
import { type Part, partOf } from '../use/part.ts';
import { correlation, sendPart } from '../use/parts.ts';
import { signatureInput } from '../use/signature-input.ts';
import { validity, verifiedBy } from '../use/validity.ts';

export const signatureVerify = {
  name: 'SignatureVerify',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'DigestedData', 'SignatureData', ...PARTS]),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const candidates = await Promise.all((await ctx.candidates(request, 'SignatureVerify')).map((object) => opened(object, ctx)));
  if (part.is !== 'whole') return verifyPart(request, ctx, candidates[0] as ManagedObject, part);
  const input = signatureInput(request);
  const signature = required(bytesOf(request, TAG.SignatureData), TAG.SignatureData);
  return verifiedBy(candidates, (object) => {
    requireVerifier(object, ctx.now);
    return verify(asymmetricKey(object), effectiveParameters(request, object, 'signature'), input, signature);
  });
}

function requireVerifier(object: ManagedObject, now: number): void {
  requireUse(object, USE.SignatureVerify, now);
  if (!isPublic(object)) throw unusable(object, USE.SignatureVerify, 'InvalidObjectType', 'only public keys and certificates verify');
}

async function verifyPart(request: Structure, ctx: OperationContext, object: ManagedObject, part: Part): Promise<readonly Node[]> {
  requireVerifier(object, ctx.now);
  const data = bytesOf(request, TAG.Data);
  if (part.is === 'next' && data === undefined) throw noData('verify');
  const begin = () => {
    const parameters = effectiveParameters(request, object, 'signature');
    const key = asymmetricKey(object).export({ format: 'der', type: 'spki' });
    return { algorithm: effectiveAlgorithm(parameters, object), parameters, key };
  };
  const proof = bytesOf(request, TAG.SignatureData);
  const output = await sendPart(ctx, part, { kind: 'SignatureVerify', object: object.id, data, proof, begin });
  const judged = part.is === 'last' ? [validity(output.valid === true)] : [];
  return [text(TAG.UniqueIdentifier, object.id), ...judged, ...correlation(part, output)];
}
