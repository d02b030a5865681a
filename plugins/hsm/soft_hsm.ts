// The HSM model soft_hsm: SoftHSM 2, a software token for development and tests.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'soft_hsm',
  about: 'SoftHSM 2, a software token for development and tests',
  libraries: {
    linux: [
      '/usr/lib/softhsm/libsofthsm2.so',
      '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
      '/usr/lib64/pkcs11/libsofthsm2.so',
      '/usr/local/lib/softhsm/libsofthsm2.so',
    ],
    darwin: ['/opt/homebrew/lib/softhsm/libsofthsm2.so', '/usr/local/lib/softhsm/libsofthsm2.so'],
  },
  libraryVariable: 'SOFTHSM2_LIBRARY',
  env: ['SOFTHSM2_CONF'],
  // A search reads the files of keys that are being written: SoftHSM 2.6 then ends their making with CKR_GENERAL_ERROR or CKR_TEMPLATE_INCONSISTENT.
  quirks: { searchesInTurn: true, ignoresOaepLabel: true },
  hints: {
    library: 'install softhsm2',
    token: 'list the tokens with softhsm2-util --show-slots; SOFTHSM2_CONF names the configuration',
    pin: 'hsm_password is the --pin of softhsm2-util --init-token',
  },
});
