// Sign (KMIP specification 2.1 section 6.1.55): signs data, a digest from the client, or data in parts.
import { andThen } from '../../../kernel/at-once.ts';
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import { USE, unusable } from '../object/life/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation, repeated } from '../use/parts.ts';
import { partOfMessage, signatureInput } from '../use/signature-input.ts';
import { type KeyUse, useKey } from '../use/use-key.ts';

export const sign = {
  name: 'Sign',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'DigestedData', ...PARTS]),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

function run(request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  return andThen(useKey(ctx, request, USE.Sign), (use) => signWith(use, request));
}

function signWith(use: KeyUse, request: Structure): readonly Node[] | Promise<readonly Node[]> {
  const { object, key } = use;
  if (object.type !== ENUM.ObjectType.PrivateKey) throw unusable(object, USE.Sign, 'InvalidObjectType', 'only private keys sign');
  const part = partOf(request);
  if (part.is !== 'whole') return signPart(request, use, part);
  const { data, digest } = signatureInput(request);
  const parameters = effectiveParameters(request, object, 'signature');
  const signature = andThen(use.spend((data ?? digest).length), () => key.sign({ parameters, data, digest }));
  return andThen(signature, (value) => [text(TAG.UniqueIdentifier, object.id), bytes(TAG.SignatureData, value)]);
}

async function signPart(request: Structure, use: KeyUse, part: PartOfMany): Promise<readonly Node[]> {
  const { object, key } = use;
  const data = partOfMessage(request);
  if (part.is === 'next' && data === undefined) throw noData('sign');
  await use.spend(data?.length ?? 0, part.is);
  const start = () => {
    const parameters = effectiveParameters(request, object, 'signature');
    return { algorithm: effectiveAlgorithm(parameters, object), parameters };
  };
  const output = await key.parts({ ...part, kind: 'Sign', data, start, repeats: repeated(request, object, 'signature') });
  const made = part.is === 'last' ? [bytes(TAG.SignatureData, output.data)] : [];
  return [text(TAG.UniqueIdentifier, object.id), ...made, ...correlation(part, output)];
}
