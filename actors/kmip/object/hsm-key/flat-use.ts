// The caller's side of a use of a key on a token with little data, which crosses threads as texts and numbers.
import { bytesOfText, textOfBytes } from '../../../../kernel/runtime/channel/bytes.ts';
import type { FlatAnswer, FlatMechanism, HsmAnswer, Sealed, TokenMechanism } from '../../../hsm/api.ts';

/** In bytes. More costs less as bytes that are moved. */
const LITTLE_BYTES = 4_096;

/** @returns undefined for a use that crosses as it is: with much data, or of a kind that is rare */
export function flatMechanism({ name, parameter }: TokenMechanism, data: Uint8Array): FlatMechanism | undefined {
  if (data.length > LITTLE_BYTES) return undefined;
  switch (parameter?.kind) {
    case undefined:
      return [name];
    case 'bytes':
      return [name, 'bytes', textOfBytes(parameter.bytes)];
    case 'gcm':
      return parameter.aad.length > LITTLE_BYTES ? undefined : [name, 'gcm', textOfBytes(parameter.iv), textOfBytes(parameter.aad), parameter.tagBits];
    case 'oaep':
      return [name, 'oaep', parameter.hash, parameter.maskHash, textOfBytes(parameter.label)];
    case 'pss':
      return [name, 'pss', parameter.hash, parameter.maskHash, parameter.saltBytes];
    case 'ecdh':
    case 'hkdf':
      return undefined;
  }
}

/** Of an encryption, with the IV if the token has chosen it. */
export function sealedOf(answer: FlatAnswer): HsmAnswer<Sealed> {
  if (typeof answer === 'string') return { ok: true, value: { data: bytesOfText(answer) } };
  if (!('why' in answer)) return { ok: true, value: { data: bytesOfText(answer[0]), iv: bytesOfText(answer[1]) } };
  return { ok: false, failure: answer };
}

export function bytesIn(answer: FlatAnswer): HsmAnswer<Uint8Array> {
  const sealed = sealedOf(answer);
  return sealed.ok ? { ok: true, value: sealed.value.data } : sealed;
}
