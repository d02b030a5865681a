// The key suite over keys in a TPM 2.0 (tpm2-pkcs11 1.9): it makes pairs of RSA and EC, takes no keys, makes no secret keys, and does not agree on secrets.
import { test } from 'uvu';
import tpm2 from '../../../plugins/hsm/tpm2.ts';
import { tokenPlace } from '../../fakes/token-keys.ts';
import { skipWithout } from '../../system.ts';
import { tpmToken } from '../../tokens.ts';
import { keySuite } from './key.suite.ts';

if (!['libtpm2-pkcs11-1', 'libtss2-tcti-tabrmd0', 'tpm2-abrmd', 'dbus-daemon', 'swtpm'].some(skipWithout)) {
  const token = await tpmToken();
  const { place, end } = await tokenPlace(token, {
    name: 'a TPM 2.0',
    can: ['RSA-PKCS1', 'ECDSA', 'RSA-OAEP', 'RSA-PKCS1 encryption'],
    quirks: tpm2.quirks,
    missing: {
      ...Object.fromEntries(['AES-GCM', 'AES-CBC', 'AES-CTR', 'AES-KW', 'AES-KWP', 'CMAC'].map((name) => [name, 'CKR_FUNCTION_NOT_SUPPORTED'])),
      ...{
        HMAC: 'CKM_GENERIC_SECRET_KEY_GEN',
        HKDF: 'CKM_GENERIC_SECRET_KEY_GEN',
        'RSA-PSS': 'CKM_RSA_PKCS_PSS',
      },
      ...{ EdDSA: 'CKM_EC_EDWARDS_KEY_PAIR_GEN', ECIES: 'ECIES', ECDH: 'CKM_ECDH1_DERIVE', X25519: 'CKM_EC_MONTGOMERY_KEY_PAIR_GEN' },
    },
    takesNoMaterial: true,
  });
  test.after(end);
  keySuite(place);
  test.run();
}
