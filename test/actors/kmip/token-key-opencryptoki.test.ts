// The key suite over keys on the software token of openCryptoki 3.8: AES in ECB and CBC only, RSA, HMAC, no curves.
import { test } from 'uvu';
import { tokenPlace } from '../../fakes/token-keys.ts';
import { skipWithout } from '../../system.ts';
import { openCryptokiToken } from '../../tokens.ts';
import { keySuite } from './key.suite.ts';

if (!skipWithout('opencryptoki')) {
  const token = await openCryptokiToken();
  if (token) {
    const { place, end } = await tokenPlace(token, {
      name: "openCryptoki's software token",
      can: ['AES-CBC', 'HMAC', 'RSA-PKCS1', 'RSA-PSS', 'RSA-PKCS1 encryption', 'RSA-OAEP'],
      holds: ['RSA'],
      missing: {
        'AES-GCM': 'CKM_AES_GCM',
        'AES-CTR': 'CKM_AES_CTR',
        'AES-KW': 'CKM_AES_KEY_WRAP',
        'AES-KWP': 'CKM_AES_KEY_WRAP_KWP',
        CMAC: 'CKM_AES_CMAC',
        HKDF: 'CKM_HKDF_DERIVE',
        ECDSA: 'CKM_ECDSA',
        EdDSA: 'CKM_EDDSA',
        ECIES: 'CKM_ECDSA',
        ECDH: 'CKM_ECDSA',
        X25519: 'CKM_EC_MONTGOMERY_KEY_PAIR_GEN',
      },
    });
    test.after(end);
    keySuite(place);
    test.run();
  }
}
