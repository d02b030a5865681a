// The operations of the inline front: each with a key out of a map, without rights, states, audit or limits.
import { createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { cipherFor } from '../../crypto/cipher/cipher.ts';
import { randomIv } from '../../crypto/random.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { decodeJson } from '../../kmip/ttlv/json.ts';
import { bytes, type Node, type Structure, text } from '../../kmip/ttlv/node.ts';
import { bytesOf, required, textOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';

/** By identifier: the answers of the server to Get and GetAttributes in JSON, whose members the front encodes again for each request. */
export type GivenAnswers = Readonly<Record<string, { readonly get: string; readonly attributes: string }>>;

type Operate = (payload: Structure) => readonly Node[];

const AES = 'AES';
const GCM = { blockCipherMode: 'GCM' } as const;
const KEY_BYTES = 32;

/** @param encryptId identifier of an AES key @param signId of a key on P-256 @returns the operations by their codes */
export function inlineOperations(encryptId: string, signId: string, answers: GivenAnswers): ReadonlyMap<number, Operate> {
  const keys = new Map<string, KeyObject>([
    [encryptId, createSecretKey(Buffer.alloc(KEY_BYTES, 1))],
    [signId, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ]);
  const keyOf = (payload: Structure) => required(keys.get(textOf(payload, TAG.UniqueIdentifier) ?? ''), TAG.UniqueIdentifier);
  const given = new Map(Object.entries(answers).map(([id, { get, attributes }]) => [id, { get: membersIn(get), attributes: membersIn(attributes) }]));
  const givenOf = (payload: Structure) => required(given.get(textOf(payload, TAG.UniqueIdentifier) ?? ''), TAG.UniqueIdentifier);
  const data = (payload: Structure) => required(bytesOf(payload, TAG.Data), TAG.Data);
  return new Map<number, Operate>([
    [
      ENUM.Operation.Encrypt,
      (payload) => {
        const sealed = seal(keyOf(payload), data(payload));
        return [
          text(TAG.UniqueIdentifier, encryptId),
          bytes(TAG.Data, sealed.data),
          bytes(TAG.IVCounterNonce, sealed.iv),
          bytes(TAG.AuthenticatedEncryptionTag, sealed.tag),
        ];
      },
    ],
    [ENUM.Operation.Sign, (payload) => [text(TAG.UniqueIdentifier, signId), bytes(TAG.SignatureData, sign('sha256', data(payload), keyOf(payload)))]],
    [ENUM.Operation.Get, (payload) => givenOf(payload).get],
    [ENUM.Operation.GetAttributes, (payload) => givenOf(payload).attributes],
  ]);
}

const jweKey = createSecretKey(Buffer.alloc(KEY_BYTES, 2));

/** What POST /v1/crypto/encrypt answers for a key that is used directly. */
export function inlineEncrypt(body: Uint8Array): string {
  const { kid, alg, enc, data } = JSON.parse(Buffer.from(body).toString()) as Record<string, string>;
  const header = Buffer.from(JSON.stringify({ alg, enc, kid })).toString('base64url');
  const { iv, data: ciphertext, tag } = seal(jweKey, Buffer.from(data ?? '', 'base64url'), Buffer.from(header));
  const text = (value: Uint8Array) => Buffer.from(value).toString('base64url');
  return JSON.stringify({ protected: header, encrypted_key: '', iv: text(iv), ciphertext: text(ciphertext), tag: text(tag) });
}

function seal(key: KeyObject, data: Uint8Array, aad?: Uint8Array) {
  const iv = randomIv(12);
  const { data: sealed, tag } = cipherFor(AES, GCM, KEY_BYTES).encrypt(key, { iv, data, aad });
  return { iv, data: sealed, tag: tag as Uint8Array };
}

function membersIn(json: string): readonly Node[] {
  const root = JSON.parse(json) as { readonly value: unknown };
  return decodeJson(Buffer.from(JSON.stringify({ tag: 'ResponsePayload', value: root.value }))).value;
}
