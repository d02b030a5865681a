// What is to be true of keys after a kill, by what was answered before it.
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { KeyAnswer, KeyClient } from './key-client.ts';

export const DATA = Buffer.from('protected before the kill');
export const GCM = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
export const named = (id: string): Node => text(TAG.UniqueIdentifier, id);

/** A keyset of symmetric keys. */
export interface KeySet {
  readonly name: string;
  /** Identifiers that were answered, oldest first. */
  readonly ids: string[];
  readonly sealed: { readonly id: string; readonly members: KeyAnswer['members'] }[];
  readonly isAutomatic: boolean;
  /** Users that a grant was answered for, and whose removal was: true while it is there, undefined where it is not known. */
  readonly grants: Map<string, boolean | undefined>;
}

export interface Pair {
  privateKey: string;
  publicKey: string;
  certificate: string | undefined;
  /** By the latest private key that was answered. */
  signature: string | undefined;
}

/** The identifier that a successful operation answers. */
export function id({ ok, reason, members }: KeyAnswer): string {
  if (!ok) throw new Error(`refused: ${reason}`);
  return members['UniqueIdentifier'] as string;
}

export async function stateOf(client: KeyClient, key: string): Promise<string | undefined> {
  const answer = await client.call('GetAttributes', [named(key), enumeration(TAG.AttributeReference, TAG.State)]);
  return answer?.ok ? (answer.members['Attributes'] as { value: string }[])[0]?.value : undefined;
}

const bytesOf = (tag: number, hex: string) => bytes(tag, new Uint8Array(Buffer.from(hex, 'hex')));

/** What any generation has sealed is opened, and by its name the set protects: by a key that was answered or one that came after it. */
export async function checkSet(client: KeyClient, set: KeySet): Promise<string[]> {
  const wrong: string[] = [];
  for (const key of set.ids) if ((await stateOf(client, key)) !== 'Active') wrong.push(`${key} of ${set.name} is gone`);
  for (const { id: key, members } of set.sealed) {
    const sealed = [
      bytesOf(TAG.Data, members['Data']),
      bytesOf(TAG.IVCounterNonce, members['IVCounterNonce']),
      bytesOf(TAG.AuthenticatedEncryptionTag, members['AuthenticatedEncryptionTag']),
    ];
    const opened = await client.call('Decrypt', [named(key), GCM, ...sealed]);
    if (opened?.members['Data'] !== DATA.toString('hex').toUpperCase()) wrong.push(`${key} of ${set.name} does not open what it sealed: ${opened?.reason}`);
  }
  const now = await client.call('Encrypt', [named(set.name), GCM, bytes(TAG.Data, DATA)]);
  if (!now?.ok) wrong.push(`${set.name} protects nothing: ${now?.reason}`);
  else if (set.ids.slice(0, -1).includes(id(now))) wrong.push(`${set.name} went back to ${id(now)}`);
  const rights = await client.grantees(set.ids[0] as string);
  for (const [user, isThere] of set.grants)
    if (isThere !== undefined && rights.has(user) !== isThere) wrong.push(`the grant to ${user} on ${set.name} is ${isThere ? 'gone' : 'back'}`);
  return wrong;
}

export async function checkPair(client: KeyClient, { privateKey, publicKey, certificate, signature }: Pair): Promise<string[]> {
  const wrong: string[] = [];
  const signed = await client.call('Sign', [named(privateKey), bytes(TAG.Data, DATA)]);
  if (!signed?.ok) return [`${privateKey} does not sign: ${signed?.reason}`];
  for (const each of [signature, signed.members['SignatureData'] as string]) {
    if (each === undefined) continue;
    const verified = await client.call('SignatureVerify', [named(publicKey), bytes(TAG.Data, DATA), bytesOf(TAG.SignatureData, each)]);
    if (verified?.members['ValidityIndicator'] !== 'Valid') wrong.push(`${publicKey} does not verify what ${privateKey} signed: ${verified?.reason}`);
  }
  if (certificate !== undefined && !(await client.call('Get', [named(certificate)]))?.ok) wrong.push(`the certificate ${certificate} is gone`);
  return wrong;
}
