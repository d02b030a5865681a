// A key server that published keys are registered with, and what it makes of published values with them: everything goes the way of a client's message.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, type Node, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type Answered, startKeyServer } from '../../actors/kmip/key-server.ts';
import { active, attributes, code, id, mask, symmetricKey } from '../../fuzz/members.ts';

/** Members of CryptographicParameters by their names: those of enumerations, numbers, and PSource in hexadecimal. */
export type Parameters = Readonly<Record<string, string | number>>;

export interface KeyHolder {
  /** @param key DER (PKCS#8, or SubjectPublicKeyInfo), or raw bytes where an algorithm is named @returns its identifier, or undefined where it is refused */
  hold(kind: 'PrivateKey' | 'PublicKey', key: string, algorithm?: CryptographicAlgorithm): Promise<string | undefined>;
  holdSecret(key: string): Promise<string>;
  ask(operation: OperationName, key: string, parameters: Parameters, members: readonly Node[]): Promise<Answered>;
  /** @returns the bytes that the answer has under a name, as the tables write them, or the reason of the refusal */
  bytes(name: 'Data' | 'SignatureData', operation: OperationName, key: string, parameters: Parameters, member: Node): Promise<string>;
  /** By every way that there is: the data at once, in two parts, and the digest of it where the parameters name a hash. @returns what each has found */
  verify(key: string, parameters: Parameters, message: string, signature: string): Promise<Readonly<Record<string, unknown>>>;
  end(): Promise<void>;
}

const HASHES: Readonly<Record<string, string>> = { SHA_1: 'sha1', SHA_224: 'sha224', SHA_256: 'sha256', SHA_384: 'sha384', SHA_512: 'sha512' };

export const raw = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(hex, 'hex'));
export const data = (hex: string): Node => bytes(TAG.Data, raw(hex));
export const table = <T>(name: string): T => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) as T;
export const digestOf = (hashingAlgorithm: unknown, message: string): string => hash(HASHES[String(hashingAlgorithm)] as string, raw(message), 'hex');

/** By the name of the member, the enumeration that its values are of. */
function parameter(name: string, value: string | number): Node {
  const tag = TAG[name as keyof typeof TAG];
  if (name === 'PSource') return bytes(tag, raw(String(value)));
  if (typeof value === 'number') return integer(tag, value);
  const values = ENUM[(name === 'MaskGeneratorHashingAlgorithm' ? 'HashingAlgorithm' : name) as keyof typeof ENUM] as Readonly<Record<string, number>>;
  return enumeration(tag, values[value] as number);
}

export async function startKeyHolder(): Promise<KeyHolder> {
  const server = await startKeyServer({ threads: 1 });
  const ask: KeyHolder['ask'] = (operation, key, parameters, members) => {
    const chosen = Object.entries(parameters).map(([name, value]) => parameter(name, value));
    return server.ask(operation, [id(key), ...(chosen.length > 0 ? [structure(TAG.CryptographicParameters, chosen)] : []), ...members]);
  };
  const given = attributes(mask(MASK.CryptographicUsageMask.Unrestricted), active);
  const inParts = async (key: string, parameters: Parameters, message: Uint8Array, signature: Node) => {
    const middle = Math.floor(message.length / 2);
    const first = [bytes(TAG.Data, message.subarray(0, middle)), boolean(TAG.InitIndicator, true)];
    const begun = await ask('SignatureVerify', key, parameters, first);
    const correlation = bytes(TAG.CorrelationValue, raw(String(begun.members['CorrelationValue'] ?? '')));
    return ask('SignatureVerify', key, {}, [bytes(TAG.Data, message.subarray(middle)), signature, correlation, boolean(TAG.FinalIndicator, true)]);
  };
  return {
    ask,
    async bytes(name, operation, key, parameters, member) {
      const { ok, members, reason } = await ask(operation, key, parameters, [member]);
      return ok ? String(members[name]).toLowerCase() : reason;
    },
    async hold(kind, key, algorithm) {
      const der = kind === 'PrivateKey' ? 'PKCS_8' : 'X_509';
      const block = structure(TAG.KeyBlock, [
        code('KeyFormatType', algorithm === undefined ? der : 'Raw'),
        structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, raw(key))]),
        ...(algorithm === undefined ? [] : [code('CryptographicAlgorithm', algorithm)]),
      ]);
      const { ok, ids } = await server.ask('Register', [code('ObjectType', kind), given, structure(TAG[kind], [block])]);
      return ok ? ids[0] : undefined;
    },
    holdSecret: (key) => server.made('Register', [code('ObjectType', 'SymmetricKey'), given, symmetricKey(raw(key))]),
    async verify(key, parameters, message, signature) {
      const proof = bytes(TAG.SignatureData, raw(signature));
      const { HashingAlgorithm: hashing } = parameters;
      const digested = hashing === undefined ? undefined : bytes(TAG.DigestedData, raw(digestOf(hashing, message)));
      const answers = {
        whole: await ask('SignatureVerify', key, parameters, [data(message), proof]),
        parts: await inParts(key, parameters, raw(message), proof),
        ...(digested && { digest: await ask('SignatureVerify', key, parameters, [digested, proof]) }),
      };
      return Object.fromEntries(Object.entries(answers).map(([way, { ok, members, reason }]) => [way, ok ? members['ValidityIndicator'] : reason]));
    },
    end: () => server.end(),
  };
}
