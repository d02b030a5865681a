// Wraps a key by another on the same token: its value stays there, so it may be sensitive.
import type { Wrapped } from '../../../../crypto/cipher/wrap.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { randomIv } from '../../../../crypto/random.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { Key } from '../key.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { aesChoice, keyMechanism, wrappingParameters } from './token-cipher.ts';

/** @returns undefined for keys on different tokens @throws Refusal for what the token does not do */
export async function wrapOnToken(token: KeyOnToken, key: Key, parameters: CryptographicParameters, other: KeyOnToken): Promise<Wrapped | undefined> {
  const { tokens, place } = token;
  if (place.prefix !== other.place.prefix || place.slot !== other.place.slot) return undefined;
  const iv = ivOf(token, key, parameters);
  const mechanism = keyMechanism(token, key, parameters, iv);
  if (!mechanism) throw new Refusal('UnsupportedCryptographicParameters', `${other.id} does not leave its token in clear, as RSA-AES key wrap needs`);
  const data = await tokens.call(place, mechanism.name, (hsm, slot) => hsm.wrapKey(slot, token.name, mechanism, other.name));
  return { data, ...(iv && { iv }) };
}

function ivOf(token: KeyOnToken, key: Key, parameters: CryptographicParameters): Uint8Array | undefined {
  if (token.kind !== 'secret') return undefined;
  const { ivBytes } = aesChoice(token, key, { algorithm: 'AES', parameters: wrappingParameters(parameters) }).cipher;
  return ivBytes === undefined ? undefined : randomIv(ivBytes);
}
