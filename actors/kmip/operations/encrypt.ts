// Encrypt (KMIP specification 2.1 section 6.1.17): symmetric ciphers, public keys and certificates, encapsulation, FF1; whole or in parts.
import { type Cipher, cipherFor } from '../../../crypto/cipher/cipher.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { randomIv } from '../../../crypto/random.ts';
import { CIPHER, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveParameters } from '../object/cryptographic-parameters.ts';
import { secretBytes, secretKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { opened } from '../object/opened.ts';
import { requireUse, USE, unusable } from '../object/usage.ts';
import { spendUsage } from '../object/usage-limits.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { isPublic, publicKeyEncrypt } from '../use/asymmetric.ts';
import { cipherAlgorithm, noData, noParts, requireAuthenticated, tagInData } from '../use/cipher-rules.ts';
import { encryptFormat } from '../use/format-preserving.ts';
import { type Part, partOf } from '../use/part.ts';
import { correlation, sendPart } from '../use/parts.ts';

export const encrypt = {
  name: 'Encrypt',
  members: payloadMembers([...CIPHER]),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const found = await ctx.use(request, 'Encrypt');
  requireUse(found, USE.Encrypt, ctx.now);
  const object = await opened(found, ctx);
  const part = partOf(request);
  const parameters = effectiveParameters(request, object, 'encryption');
  const data = bytesOf(request, TAG.Data);
  if (object.type !== ENUM.ObjectType.SymmetricKey) {
    if (!isPublic(object)) throw unusable(object, USE.Encrypt, 'InvalidObjectType', 'this kind of object cannot encrypt');
    if (part.is !== 'whole') throw noParts('a public key');
    if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.Encrypt, data?.length ?? 0);
    return publicKeyEncrypt(object, parameters, request);
  }
  const algorithm = cipherAlgorithm(ctx, parameters, object);
  if (algorithm === 'FPE_FF1') {
    if (part.is !== 'whole') throw noParts('FF1');
    if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.Encrypt, data?.length ?? 0);
    return encryptFormat(object, request);
  }
  const key = secretKey(object);
  const cipher = cipherFor(algorithm, parameters, key.symmetricKeySize as number);
  requireAuthenticated(request, cipher);
  if (part.is !== 'whole') return encryptPart(request, ctx, { object, part, cipher, parameters, algorithm, data });
  if (data === undefined) throw noData('encrypt');
  if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.Encrypt, data.length);
  const given = bytesOf(request, TAG.IVCounterNonce);
  const iv = given ?? serverIv(cipher, parameters);
  const { data: encrypted, tag } = cipher.encrypt(key, { iv, aad: bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData), data });
  return answer(object, ctx, encrypted, given === undefined ? iv : undefined, tag);
}

function answer(object: ManagedObject, ctx: OperationContext, data: Uint8Array, iv: Uint8Array | undefined, tag: Uint8Array | undefined): Node[] {
  const inData = tag !== undefined && tagInData(ctx.version);
  const members: Node[] = [text(TAG.UniqueIdentifier, object.id), bytes(TAG.Data, inData ? Buffer.concat([data, tag]) : data)];
  if (iv !== undefined) members.push(bytes(TAG.IVCounterNonce, iv));
  if (tag !== undefined && !inData) members.push(bytes(TAG.AuthenticatedEncryptionTag, tag));
  return members;
}

/** Of the length that the parameters ask for, where the cipher takes it; undefined where the cipher needs none. */
function serverIv(cipher: Cipher, { ivLength }: CryptographicParameters): Uint8Array | undefined {
  if (cipher.ivBytes === undefined) return undefined;
  const asked = ivLength === undefined ? 0 : ivLength / 8;
  return randomIv(asked > 0 && cipher.acceptsIv(asked) ? asked : cipher.ivBytes);
}

interface PartOfEncryption {
  readonly object: ManagedObject;
  readonly part: Part;
  readonly cipher: Cipher;
  readonly parameters: CryptographicParameters;
  readonly algorithm: NonNullable<CryptographicParameters['cryptographicAlgorithm']>;
  readonly data: Uint8Array | undefined;
}

async function encryptPart(request: Structure, ctx: OperationContext, encryption: PartOfEncryption): Promise<readonly Node[]> {
  const { object, part, cipher, parameters, algorithm, data } = encryption;
  if (part.is === 'first' && cipher.encryptor === undefined) throw noParts(cipher.name);
  if (part.is === 'next' && data === undefined) throw noData('encrypt');
  const given = bytesOf(request, TAG.IVCounterNonce);
  const iv = part.is === 'first' ? (given ?? serverIv(cipher, parameters)) : undefined;
  const aad = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
  if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.Encrypt, data?.length ?? 0);
  const input = { kind: 'Encrypt', object: object.id, data, begin: () => ({ algorithm, parameters, key: secretBytes(object), iv, aad }) } as const;
  const output = await sendPart(ctx, part, input);
  const members = answer(object, ctx, output.data, given === undefined ? iv : undefined, output.tag);
  return [...members, ...correlation(part, output)];
}
