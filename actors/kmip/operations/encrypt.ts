// Encrypt (KMIP specification 2.1 section 6.1.17): symmetric ciphers, public keys and certificates, encapsulation, FF1; whole or in parts.
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { andThen } from '../../../kernel/at-once.ts';
import { CIPHER, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveParameters } from '../object/cryptographic-parameters.ts';
import type { CipherFacts, Encrypted } from '../object/key.ts';
import { USE, unusable } from '../object/life/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { isPublic, publicKeyEncrypt } from '../use/asymmetric.ts';
import { cipherAlgorithm, noData, noParts, requireAuthenticated, requirePairAuthenticates, tagInData } from '../use/cipher-rules.ts';
import { encryptFormat } from '../use/format-preserving.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation, repeated } from '../use/parts.ts';
import { type KeyUse, useKey } from '../use/use-key.ts';

export const encrypt = {
  name: 'Encrypt',
  members: payloadMembers([...CIPHER]),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

function run(request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  const use = useKey(ctx, request, USE.Encrypt);
  return use instanceof Promise ? use.then((opened) => encryptWith(opened, request, ctx)) : encryptWith(use, request, ctx);
}

function encryptWith(use: KeyUse, request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  const { object, key } = use;
  const part = partOf(request);
  const parameters = effectiveParameters(request, object, 'encryption');
  const data = bytesOf(request, TAG.Data);
  if (object.type !== ENUM.ObjectType.SymmetricKey) {
    if (!isPublic(object)) throw unusable(object, USE.Encrypt, 'InvalidObjectType', 'this kind of object cannot encrypt');
    if (part.is !== 'whole') throw noParts('a public key');
    requirePairAuthenticates(request, key, parameters);
    return andThen(use.spend(data?.length ?? 0), () => publicKeyEncrypt(key, parameters, request));
  }
  const algorithm = cipherAlgorithm(ctx, parameters, object);
  if (algorithm === 'FPE_FF1') {
    if (part.is !== 'whole') throw noParts('FF1');
    return andThen(use.spend(data?.length ?? 0), () => encryptFormat(use, parameters, request));
  }
  const cipher = key.cipher({ algorithm, parameters });
  requireAuthenticated(request, cipher);
  if (part.is !== 'whole') return encryptPart(request, ctx, { use, part, cipher, algorithm, parameters, data });
  if (data === undefined) throw noData('encrypt');
  const iv = bytesOf(request, TAG.IVCounterNonce);
  const aad = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
  const input = { algorithm, parameters, iv, aad, data };
  const spent = use.spend(data.length);
  const encrypted = spent === undefined ? key.encrypt(input) : spent.then(() => key.encrypt(input));
  return encrypted instanceof Promise ? encrypted.then((sealed) => answer(object.id, ctx, sealed)) : answer(object.id, ctx, encrypted);
}

function answer(id: string, ctx: OperationContext, { data, iv, tag }: Encrypted): Node[] {
  const inData = tag !== undefined && tagInData(ctx.version);
  const members: Node[] = [text(TAG.UniqueIdentifier, id), bytes(TAG.Data, inData ? Buffer.concat([data, tag]) : data)];
  if (iv !== undefined) members.push(bytes(TAG.IVCounterNonce, iv));
  if (tag !== undefined && !inData) members.push(bytes(TAG.AuthenticatedEncryptionTag, tag));
  return members;
}

interface PartOfEncryption {
  readonly use: KeyUse;
  readonly part: PartOfMany;
  readonly cipher: CipherFacts;
  readonly algorithm: CryptographicAlgorithm;
  readonly parameters: CryptographicParameters;
  readonly data: Uint8Array | undefined;
}

async function encryptPart(request: Structure, ctx: OperationContext, encryption: PartOfEncryption): Promise<readonly Node[]> {
  const { use, part, cipher, algorithm, parameters, data } = encryption;
  const { object, key } = use;
  if (part.is === 'first' && !key.takesParts('Encrypt', { algorithm, parameters })) throw noParts(cipher.name);
  if (part.is === 'next' && data === undefined) throw noData('encrypt');
  const iv = bytesOf(request, TAG.IVCounterNonce);
  const aad = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
  await use.spend(data?.length ?? 0, part.is);
  const output = await key.parts({
    ...{ ...part, kind: 'Encrypt', data },
    start: () => ({ algorithm, parameters, iv, aad }),
    repeats: repeated(request, object, 'encryption'),
  });
  return [...answer(object.id, ctx, output), ...correlation(part, output)];
}
