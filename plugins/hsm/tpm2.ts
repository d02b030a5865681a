// The HSM model tpm2: a TPM 2.0, by the library tpm2-pkcs11.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'tpm2',
  about: 'a TPM 2.0, by the library tpm2-pkcs11',
  libraries: {
    linux: ['/usr/lib/x86_64-linux-gnu/libtpm2_pkcs11.so.1', '/usr/lib/aarch64-linux-gnu/libtpm2_pkcs11.so.1', '/usr/lib64/pkcs11/libtpm2_pkcs11.so'],
  },
  libraryVariable: 'TPM2_PKCS11_LIBRARY',
  env: ['TPM2_PKCS11_STORE', 'TPM2_PKCS11_TCTI', 'TPM2_PKCS11_BACKEND', 'TPM2_PKCS11_LOG_LEVEL', 'TSS2_LOG'],
  // A TPM decides itself what its keys can be used for, and refuses templates that say anything else.
  quirks: {
    // The library locks the token for each call, and a TPM needs seconds to make a pair of RSA.
    oneAtATime: true,
    // TPM 2.0 part 1 annex B.4: the label ends with a zero byte, and the mask has the hash of the scheme.
    endsOaepLabel: true,
    oneOaepHash: true,
    attributes: {
      private: { DECRYPT: null, SIGN: null, UNWRAP: null, DERIVE: null },
      public: { ENCRYPT: null, VERIFY: null, WRAP: null },
    },
  },
  hints: {
    library: 'install libtpm2-pkcs11-1',
    token: 'make one with tpm2_ptool init and tpm2_ptool addtoken; TPM2_PKCS11_STORE names its store, TPM2_PKCS11_TCTI the TPM',
    pin: 'hsm_password is the userpin of tpm2_ptool addtoken',
  },
});
