// Derives bytes from a secret key on a token: by HKDF, where the token has it. It has no other method of KMIP in the form that KMIP gives it.
import { digestOf } from '../../../../crypto/digest-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { Derivation } from '../key.ts';
import { hashOf, owned } from './cipher-mechanism.ts';
import type { KeyOnToken } from './key-on-token.ts';

const NAME = 'CKM_HKDF_DERIVE';
const NOTHING = new Uint8Array();

/** As HKDF of keys in software: the key is the input keying material, and the derivation data is the info. @throws Refusal for what the token does not have */
export async function deriveOnToken(token: KeyOnToken, { method, parameters, salt = NOTHING, data, length }: Derivation): Promise<Uint8Array> {
  if (method !== 'HKDF')
    throw new Refusal('UnsupportedCryptographicParameters', `a key in an HSM derives by HKDF, or by AsymmetricKey with its peer, not by ${method}`);
  token.requireKind('secret');
  const digest = digestOf(parameters.hashingAlgorithm ?? 'SHA_256');
  const hash = hashOf(digest, NAME);
  const [info = NOTHING, ...more] = data;
  if (more.length > 0) throw new Refusal('InvalidField', 'HKDF takes at most one DerivationData');
  const most = 255 * digest.length;
  if (length > most) throw new Refusal('CryptographicFailure', `HKDF with this hash gives at most ${most} bytes`);
  return token.derive({ name: NAME, parameter: { kind: 'hkdf', hash, salt: owned(salt), info: owned(info) } }, length);
}
