// Mechanisms of a call in the form of the binding, and whether the token has them.
import type pkcs11js from 'pkcs11js';
import { CKM } from '../../../kmip/pkcs11.ts';
import type { MechanismParameter, TokenHash, TokenMechanism } from '../api.ts';
import type { Token } from './token.ts';

/** The token lacks a mechanism. */
export class MechanismMissing extends Error {
  readonly mechanism: string;

  constructor(mechanism: string) {
    super(`the token has no mechanism ${mechanism}`);
    this.mechanism = mechanism;
  }
}

/** CK_PARAMS_*: how the binding tells the structures of parameters apart. */
const PARAMS = { RSA_OAEP: 4, RSA_PSS: 5, EC_DH: 6, AES_GCM: 7 } as const;
const CKD_NULL = 1;
const CKZ_DATA_SPECIFIED = 1;
export const HASH: Readonly<Record<TokenHash, string>> = {
  sha1: 'CKM_SHA_1',
  sha224: 'CKM_SHA224',
  sha256: 'CKM_SHA256',
  sha384: 'CKM_SHA384',
  sha512: 'CKM_SHA512',
};
/** CKG_MGF1_*. */
const MASK: Readonly<Record<TokenHash, number>> = { sha1: 1, sha256: 2, sha384: 3, sha512: 4, sha224: 5 };

type Abilities = Pick<Token, 'mechanisms' | 'quirks'>;

/** @throws MechanismMissing */
export function toMechanism({ name, parameter }: TokenMechanism, { mechanisms, quirks }: Abilities): pkcs11js.Mechanism {
  const mechanism = CKM[name];
  if (mechanism === undefined || !mechanisms.has(mechanism)) throw new MechanismMissing(name);
  if (parameter?.kind === 'oaep') requireOaep(name, parameter, quirks);
  return parameter === undefined ? { mechanism } : { mechanism, parameter: toParameter(parameter) };
}

/** What the library takes and passes over. @throws MechanismMissing */
function requireOaep(name: string, { hash, maskHash, label }: Extract<MechanismParameter, { kind: 'oaep' }>, quirks: Abilities['quirks']): void {
  if (quirks.ignoresOaepLabel && label.length > 0) throw new MechanismMissing(`${name} with a label (PSource)`);
  if (quirks.endsOaepLabel && label.length > 0 && label.at(-1) !== 0)
    throw new MechanismMissing(`${name} with a label (PSource) that does not end with a zero byte`);
  if (quirks.oneOaepHash && maskHash !== hash) throw new MechanismMissing(`${name} with ${hash}, and a mask (MGF1) with ${maskHash}`);
}

export interface Sealing {
  readonly mechanism: pkcs11js.Mechanism;
  /** The IV that the token wrote over the given one; undefined if it used that one. @throws Error if the token uses zeros */
  chosenIv(): Uint8Array | undefined;
}

/** For encryption: some tokens choose the IV of GCM themselves, and write it where the IV was. @throws MechanismMissing */
export function toSealing(token: Abilities, mechanism: TokenMechanism): Sealing {
  const made = toMechanism(mechanism, token);
  const { quirks } = token;
  const { parameter } = mechanism;
  if (parameter?.kind !== 'gcm') return { mechanism: made, chosenIv: () => undefined };
  const { iv } = made.parameter as pkcs11js.AesGCM & { readonly iv: Buffer };
  if (quirks.choosesGcmIv) iv.fill(0);
  return {
    mechanism: made,
    chosenIv() {
      // The same IV twice gives the key of GCM away.
      if (quirks.choosesGcmIv && iv.every((byte) => byte === 0))
        throw new MechanismMissing('CKM_AES_GCM that chooses its IV, which its model says; or it tells it too late');
      return iv.equals(parameter.iv) ? undefined : new Uint8Array(iv);
    },
  };
}

function toParameter(parameter: MechanismParameter): NonNullable<pkcs11js.Mechanism['parameter']> {
  switch (parameter.kind) {
    case 'bytes':
      return Buffer.from(parameter.bytes);
    case 'gcm': {
      const { iv, aad, tagBits } = parameter;
      return { type: PARAMS.AES_GCM, iv: Buffer.from(iv), ivBits: iv.length * 8, tagBits, ...(aad.length > 0 && { aad: Buffer.from(aad) }) } as pkcs11js.AesGCM;
    }
    case 'oaep': {
      const { hash, maskHash, label } = parameter;
      const sourceData = label.length > 0 ? { sourceData: Buffer.from(label) } : {};
      return { type: PARAMS.RSA_OAEP, hashAlg: CKM[HASH[hash]], mgf: MASK[maskHash], source: CKZ_DATA_SPECIFIED, ...sourceData } as pkcs11js.RsaOAEP;
    }
    case 'pss':
      return { type: PARAMS.RSA_PSS, hashAlg: CKM[HASH[parameter.hash]], mgf: MASK[parameter.maskHash], saltLen: parameter.saltBytes } as pkcs11js.RsaPSS;
    case 'hkdf':
      throw new TypeError('HKDF takes several calls: see hkdf.ts');
    case 'ecdh':
      return { type: PARAMS.EC_DH, kdf: CKD_NULL, publicData: Buffer.from(parameter.peer) } as pkcs11js.ECDH1;
  }
}
