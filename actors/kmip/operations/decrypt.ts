// Decrypt (KMIP specification 2.1 section 6.1.11), with the newest generation of a keyset that succeeds.
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { CIPHER, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveParameters } from '../object/cryptographic-parameters.ts';
import type { CipherFacts } from '../object/key.ts';
import { USE, unusable } from '../object/life/usage.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { privateKeyDecrypt } from '../use/asymmetric.ts';
import { cipherAlgorithm, noData, noParts, requireAuthenticated, tagInData } from '../use/cipher-rules.ts';
import { decryptFormat } from '../use/format-preserving.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation, repeated } from '../use/parts.ts';
import { useKey } from '../use/use-key.ts';

export const decrypt = {
  name: 'Decrypt',
  members: payloadMembers([...CIPHER, 'AuthenticatedEncryptionTag']),
  absentReason: 'ItemNotFound',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const candidates = await ctx.candidates(request, 'Decrypt');
  const newest = candidates[0] as ManagedObject;
  if (part.is !== 'whole') return decryptPart(request, ctx, newest, part);
  if (candidates.length === 1) return [text(TAG.UniqueIdentifier, newest.id), bytes(TAG.Data, await decryptWith(newest, request, ctx))];
  return decryptWithAny(candidates, request, ctx);
}

/** Without authentication, only the padding shows which generation fits; a mode without padding always uses the newest. */
async function decryptWithAny(candidates: readonly ManagedObject[], request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  let first: Refusal | undefined;
  for (const object of candidates) {
    try {
      return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.Data, await decryptWith(object, request, ctx))];
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      first ??= refusal;
    }
  }
  throw first as Refusal;
}

async function decryptWith(found: ManagedObject, request: Structure, ctx: OperationContext): Promise<Uint8Array> {
  const use = await useKey(ctx, found, USE.Decrypt);
  const { object, key } = use;
  const parameters = effectiveParameters(request, object, 'encryption');
  const data = bytesOf(request, TAG.Data);
  if (data === undefined) throw noData('decrypt');
  try {
    if (object.type === ENUM.ObjectType.PrivateKey) return await privateKeyDecrypt(key, parameters, request, data);
    if (object.type !== ENUM.ObjectType.SymmetricKey) throw unusable(object, USE.Decrypt, 'InvalidObjectType', 'this kind of object cannot decrypt');
    const algorithm = cipherAlgorithm(ctx, parameters, object);
    if (algorithm === 'FPE_FF1') return await decryptFormat(use, parameters, request, data);
    const cipher = key.cipher({ algorithm, parameters });
    requireAuthenticated(request, cipher);
    return await key.decrypt({ algorithm, parameters, ...decryption(cipher, request, data, ctx) });
  } catch (error) {
    throw toDecryptFailure(error);
  }
}

function decryption(cipher: CipherFacts, request: Structure, data: Uint8Array, ctx: OperationContext) {
  const iv = neededIv(cipher, request);
  const aad = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
  const tag = bytesOf(request, TAG.AuthenticatedEncryptionTag);
  if (tag !== undefined || !cipher.authenticated) return { iv, aad, data, tag };
  const end = data.length - cipher.tagBytes;
  if (!tagInData(ctx.version) || end < 0) throw new Refusal('InvalidField', 'invalid tag: the authenticated encryption tag is missing');
  return { iv, aad, data: data.subarray(0, end), tag: data.subarray(end) };
}

/** @throws Refusal InvalidMessage, as in the test cases of the profiles (CS-BC-M-11) */
function neededIv(cipher: CipherFacts, request: Structure): Uint8Array | undefined {
  const iv = bytesOf(request, TAG.IVCounterNonce);
  if (iv === undefined && cipher.ivBytes !== undefined)
    throw new Refusal('InvalidMessage', `missing-iv: ${cipher.name} needs the IV, counter or nonce of the encryption`);
  return iv;
}

/** Rewords failures to decrypt for this operation; leaves every other error as it is. */
function toDecryptFailure(error: unknown): unknown {
  const refusal = refusalOf(error);
  if (refusal?.reason !== 'CryptographicFailure') return error;
  return new Refusal('CryptographicFailure', `CRYPTO: cannot decrypt: ${refusal.message}`, refusal.cause);
}

async function decryptPart(request: Structure, ctx: OperationContext, found: ManagedObject, part: PartOfMany): Promise<readonly Node[]> {
  const { object, key } = await useKey(ctx, found, USE.Decrypt);
  if (object.type !== ENUM.ObjectType.SymmetricKey) throw noParts('this kind of key');
  const parameters = effectiveParameters(request, object, 'encryption');
  const algorithm = cipherAlgorithm(ctx, parameters, object);
  const data = bytesOf(request, TAG.Data);
  if (part.is === 'next' && data === undefined) throw noData('decrypt');
  const start = () => {
    const cipher = key.cipher({ algorithm, parameters });
    if (!key.takesParts('Decrypt', { algorithm, parameters })) throw noParts(cipher.name);
    requireAuthenticated(request, cipher);
    const aad = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
    return { algorithm, parameters, iv: neededIv(cipher, request), aad, tagInData: cipher.authenticated && tagInData(ctx.version) };
  };
  const proof = bytesOf(request, TAG.AuthenticatedEncryptionTag);
  const output = await key.parts({ ...part, kind: 'Decrypt', data, proof, start, repeats: repeated(request, object, 'encryption') }).catch((error: unknown) => {
    throw toDecryptFailure(error);
  });
  return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.Data, output.data), ...correlation(part, output)];
}
