// The key suite over keys on the token of SoftHSM 2.6: no RFC 5649, OAEP with SHA-1 only, no key derivation by HKDF.
import { test } from 'uvu';
import { tokenPlace } from '../../fakes/token-keys.ts';
import { skipWithout } from '../../system.ts';
import { softHsmToken } from '../../tokens.ts';
import { keySuite } from './key.suite.ts';

if (!skipWithout('softhsm2')) {
  const { place, end } = await tokenPlace(softHsmToken(), {
    name: 'SoftHSM',
    can: [
      ...(['AES-GCM', 'AES-CBC', 'AES-CTR', 'AES-KW', 'HMAC', 'CMAC'] as const),
      ...(['RSA-PKCS1', 'RSA-PSS', 'ECDSA', 'EdDSA', 'RSA-PKCS1 encryption', 'ECDH', 'X25519'] as const),
    ],
    holds: ['AES-KW', 'RSA'],
    missing: { 'AES-KWP': 'CKM_AES_KEY_WRAP_KWP', 'RSA-OAEP': 'CKM_RSA_PKCS_OAEP', HKDF: 'CKM_HKDF_DERIVE', ECIES: 'ECIES' },
  });
  test.after(end);
  keySuite(place);
  test.run();
}
