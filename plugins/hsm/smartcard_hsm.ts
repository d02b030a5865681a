// The HSM model smartcard_hsm: SmartCard-HSM and Nitrokey HSM 2, by the sc-hsm-embedded library.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'smartcard_hsm',
  about: 'SmartCard-HSM and Nitrokey HSM 2, by the sc-hsm-embedded library',
  libraries: {
    linux: ['/usr/local/lib/libsc-hsm-pkcs11.so', '/usr/lib/libsc-hsm-pkcs11.so'],
    darwin: ['/usr/local/lib/libsc-hsm-pkcs11.dylib', '/opt/homebrew/lib/libsc-hsm-pkcs11.dylib'],
  },
  libraryVariable: 'SC_HSM_PKCS11_LIBRARY',
  env: [],
});
