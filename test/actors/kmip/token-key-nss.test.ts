// The key suite over keys on the software token of NSS 3.87: no Ed25519, X25519 only in temporary keys.
import { test } from 'uvu';
import nss from '../../../plugins/hsm/nss.ts';
import { tokenPlace } from '../../fakes/token-keys.ts';
import { skipWithout } from '../../system.ts';
import { nssToken } from '../../tokens.ts';
import { keySuite } from './key.suite.ts';

if (!skipWithout('libnss3-tools')) {
  const token = nssToken();
  const { place, end } = await tokenPlace(token, {
    name: 'NSS',
    can: [
      'AES-GCM',
      'AES-CBC',
      'AES-CTR',
      'AES-KW',
      'AES-KWP',
      'HMAC',
      'CMAC',
      'HKDF',
      'RSA-PKCS1',
      'RSA-PSS',
      'ECDSA',
      'RSA-PKCS1 encryption',
      'RSA-OAEP',
      'ECDH',
    ],
    quirks: nss.quirks,
    holds: ['AES-KW', 'RSA'],
    missing: { EdDSA: 'CKM_EDDSA', ECIES: 'ECIES', X25519: 'CKM_EC_MONTGOMERY_KEY_PAIR_GEN' },
  });
  test.after(end);
  keySuite(place);
  test.run();
}
