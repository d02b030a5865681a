// The HSM model nss: the software token of NSS (softokn), whose keys lie in the database in NSS_CONFIG_DIR.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'nss',
  about: 'the software token of NSS (softokn); NSS_CONFIG_DIR names the folder of its database',
  libraries: {
    linux: [
      '/usr/lib/x86_64-linux-gnu/libsoftokn3.so',
      '/usr/lib/x86_64-linux-gnu/nss/libsoftokn3.so',
      '/usr/lib/aarch64-linux-gnu/libsoftokn3.so',
      '/usr/lib64/libsoftokn3.so',
    ],
  },
  libraryVariable: 'NSS_LIBRARY',
  env: ['NSS_CONFIG_DIR'],
  initializeText: "configdir='sql:{NSS_CONFIG_DIR}' certPrefix='' keyPrefix='' secmod='secmod.db' flags=",
  // Its CKM_AES_GCM has no C_EncryptUpdate.
  quirks: { wholeMechanisms: ['CKM_AES_GCM'] },
  hints: { library: 'install libnss3', token: 'make a database with certutil -N -d sql:$NSS_CONFIG_DIR; slot 2 holds its keys' },
});
