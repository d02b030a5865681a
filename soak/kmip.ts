// Operations of the key server as a client asks for them: as JSON over HTTPS, or in binary on the listener.
import type { OperationName } from '../kmip/operation-name.ts';
import { ENUM } from '../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../kmip/ttlv/json.ts';
import { enumeration, integer, longInteger, type Node, structure, text } from '../kmip/ttlv/node.ts';
import { TAG } from '../kmip/ttlv/tag.ts';
import type { Caller } from './caller.ts';

export interface KmipAnswer {
  readonly ok: boolean;
  /** Of a refusal: the result reason and the message. */
  readonly reason: string;
  // biome-ignore lint/suspicious/noExplicitAny: values of every type, by the names of their tags.
  readonly members: Readonly<Record<string, any>>;
}

/** One way to reach the key server. @returns undefined if the answer says nothing, or there was none */
export type Kmip = (operation: OperationName, payload: readonly Node[]) => Promise<KmipAnswer | undefined>;

interface Member {
  readonly tag: string;
  readonly value: unknown;
}

export const membersOf = (value: unknown): KmipAnswer['members'] => Object.fromEntries((value as readonly Member[]).map((each) => [each.tag, each.value]));

/** Bare operations in JSON over HTTPS, by the certificate of the connection. */
export function jsonKmip(caller: Pick<Caller, 'ask'>): Kmip {
  return async (operation, payload) => {
    const body = Buffer.from(encodeJson(structure(TAG.RequestPayload, payload), operation)).toString();
    const answer = await caller.ask(`${operation}, JSON`, 'POST', '/kmip/2_1', { body });
    if (!answer) return undefined;
    if (answer.status !== 200) return { ok: false, reason: String(answer.body?.message ?? answer.text), members: {} };
    return { ok: true, reason: '', members: membersOf(answer.body.value) };
  };
}

export const named = (id: string): Node => text(TAG.UniqueIdentifier, id);
export const GCM: Node = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
/** For tokens; the server gives the IV. */
export const CBC: Node = structure(TAG.CryptographicParameters, [
  enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.CBC),
  enumeration(TAG.PaddingMethod, ENUM.PaddingMethod.PKCS5),
]);
export const CESSATION: Node = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.CessationOfOperation)]);

/** The payload of a Create of an AES key that encrypts and decrypts. */
export function aesKey(...more: readonly Node[]): Node[] {
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 256),
    integer(TAG.CryptographicUsageMask, 0x0c),
    ...more,
  ];
  return [enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), structure(TAG.Attributes, attributes)];
}

/** So many uses, whatever their size. */
export function limitedTo(uses: number): Node {
  return structure(TAG.UsageLimits, [
    longInteger(TAG.UsageLimitsTotal, BigInt(uses)),
    longInteger(TAG.UsageLimitsCount, BigInt(uses)),
    enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object),
  ]);
}

/** The value of an attribute in an answer of GetAttributes. */
export function attributeOf({ members }: KmipAnswer, tag: string): unknown {
  return (members['Attributes'] as readonly Member[] | undefined)?.find((each) => each.tag === tag)?.value;
}
