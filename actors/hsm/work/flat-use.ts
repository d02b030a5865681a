// A use of a key as it crosses threads if its data is little: texts and numbers side by side, which cost a third of objects with bytes.
import { bytesOfText, textOfBytes } from '../../../kernel/runtime/channel/bytes.ts';
import type { FlatAnswer, FlatMechanism, HsmAnswer, MechanismParameter, Sealed, TokenHash, TokenMechanism } from '../api.ts';

export function mechanismOf([name, ...parameter]: FlatMechanism): TokenMechanism {
  return parameter.length === 0 ? { name: name as string } : { name: name as string, parameter: parameterOf(parameter) };
}

/** The fields are those of the kind, in the order of its type. */
function parameterOf([kind, one, two, three]: readonly (string | number)[]): MechanismParameter {
  if (kind === 'bytes') return { kind, bytes: bytesOfText(one as string) };
  if (kind === 'gcm') return { kind, iv: bytesOfText(one as string), aad: bytesOfText(two as string), tagBits: three as number };
  const hashes = { hash: one as TokenHash, maskHash: two as TokenHash };
  if (kind === 'oaep') return { kind, ...hashes, label: bytesOfText(three as string) };
  if (kind === 'pss') return { kind, ...hashes, saltBytes: three as number };
  throw new TypeError(`a mechanism with ${kind} has no flat form`);
}

export function flatAnswer(answer: HsmAnswer<Uint8Array | Sealed>): FlatAnswer {
  if (!answer.ok) return answer.failure;
  const { value } = answer;
  if (value instanceof Uint8Array) return textOfBytes(value);
  return value.iv ? [textOfBytes(value.data), textOfBytes(value.iv)] : textOfBytes(value.data);
}
