// Sign (KMIP specification 2.1 section 6.1.55): data, a digest made by the client, or data in parts.
import { isSlowSigner, sign as signature, signInPool } from '../../../crypto/signature/sign.ts';
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import { asymmetricKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { opened } from '../object/opened.ts';
import { requireUse, USE, unusable } from '../object/usage.ts';
import { spendUsage } from '../object/usage-limits.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { type Part, partOf } from '../use/part.ts';
import { correlation, sendPart } from '../use/parts.ts';
import { signatureInput } from '../use/signature-input.ts';

export const sign = {
  name: 'Sign',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'DigestedData', ...PARTS]),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const found = await ctx.use(request, 'Sign');
  requireUse(found, USE.Sign, ctx.now);
  const object = await opened(found, ctx);
  if (object.type !== ENUM.ObjectType.PrivateKey) throw unusable(object, USE.Sign, 'InvalidObjectType', 'only private keys sign');
  const part = partOf(request);
  if (part.is !== 'whole') return signPart(request, ctx, object, part);
  const input = signatureInput(request);
  const parameters = effectiveParameters(request, object, 'signature');
  if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.Sign, (input.data ?? input.digest).length);
  const key = asymmetricKey(object);
  const { data } = input;
  const isAside = data !== undefined && input.digest === undefined && isSlowSigner(key);
  const signed = isAside ? await ctx.aside(() => signInPool(key, parameters, data)) : signature(key, parameters, input);
  return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.SignatureData, signed)];
}

async function signPart(request: Structure, ctx: OperationContext, object: ManagedObject, part: Part): Promise<readonly Node[]> {
  const data = bytesOf(request, TAG.Data);
  if (part.is === 'next' && data === undefined) throw noData('sign');
  if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.Sign, data?.length ?? 0);
  const begin = () => {
    const parameters = effectiveParameters(request, object, 'signature');
    const key = asymmetricKey(object).export({ format: 'der', type: 'pkcs8' });
    return { algorithm: effectiveAlgorithm(parameters, object), parameters, key };
  };
  const output = await sendPart(ctx, part, { kind: 'Sign', object: object.id, data, begin });
  const made = part.is === 'last' ? [bytes(TAG.SignatureData, output.data)] : [];
  return [text(TAG.UniqueIdentifier, object.id), ...made, ...correlation(part, output)];
}
