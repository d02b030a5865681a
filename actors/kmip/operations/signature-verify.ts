// SignatureVerify (KMIP specification 2.1 section 6.1.56), with public keys, certificates, and any generation of a keyset.
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import { USE, unusable } from '../object/life/usage.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { isPublic } from '../use/asymmetric.ts';
import { noData } from '../use/cipher-rules.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation, repeated } from '../use/parts.ts';
import { partOfMessage, signatureInput } from '../use/signature-input.ts';
import { type KeyUse, useKey } from '../use/use-key.ts';
import { validity, verifyWithAny } from '../use/validity.ts';

export const signatureVerify = {
  name: 'SignatureVerify',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'DigestedData', 'SignatureData', ...PARTS]),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const candidates = await ctx.candidates(request, 'SignatureVerify');
  if (part.is !== 'whole') return verifyPart(request, await useVerifier(ctx, candidates[0] as ManagedObject), part);
  const { data, digest } = signatureInput(request);
  const signature = required(bytesOf(request, TAG.SignatureData), TAG.SignatureData);
  return verifyWithAny(candidates, async (found) => {
    const { object, key } = await useVerifier(ctx, found);
    return key.verify({ parameters: effectiveParameters(request, object, 'signature'), data, digest, signature });
  });
}

async function useVerifier(ctx: OperationContext, found: ManagedObject): Promise<KeyUse> {
  const use = await useKey(ctx, found, USE.SignatureVerify);
  if (!isPublic(use.object)) throw unusable(use.object, USE.SignatureVerify, 'InvalidObjectType', 'only public keys and certificates verify');
  return use;
}

async function verifyPart(request: Structure, { object, key }: KeyUse, part: PartOfMany): Promise<readonly Node[]> {
  const data = partOfMessage(request);
  if (part.is === 'next' && data === undefined) throw noData('verify');
  const start = () => {
    const parameters = effectiveParameters(request, object, 'signature');
    return { algorithm: effectiveAlgorithm(parameters, object), parameters };
  };
  const proof = bytesOf(request, TAG.SignatureData);
  const output = await key.parts({ ...part, kind: 'SignatureVerify', data, proof, start, repeats: repeated(request, object, 'signature') });
  const judged = part.is === 'last' ? [validity(output.valid === true)] : [];
  return [text(TAG.UniqueIdentifier, object.id), ...judged, ...correlation(part, output)];
}
