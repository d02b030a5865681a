// The HSM model soft_hsm: SoftHSM 2, a software token for development and tests.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'soft_hsm',
  about: 'SoftHSM 2, a software token for development and tests',
  libraries: [
    '/usr/lib/softhsm/libsofthsm2.so',
    '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
    '/usr/lib64/pkcs11/libsofthsm2.so',
    '/usr/local/lib/softhsm/libsofthsm2.so',
    '/opt/homebrew/lib/softhsm/libsofthsm2.so',
  ],
  env: ['SOFTHSM2_CONF'],
});
