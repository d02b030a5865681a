// The HSM model vendor_b: Proteccio netHSM.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'vendor_b',
  about: 'Proteccio netHSM',
  libraries: { linux: ['/lib/libnethsm.so', '/usr/lib/libnethsm.so'] },
  libraryVariable: 'NETHSM_PKCS11_LIBRARY',
  env: [],
});
