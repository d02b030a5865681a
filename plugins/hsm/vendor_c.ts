// The HSM model vendor_c: Crypt2pay.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'vendor_c',
  about: 'Crypt2pay',
  libraries: { linux: ['/lib/libpkcs11c2p.so', '/usr/lib/libpkcs11c2p.so'] },
  libraryVariable: 'C2P_PKCS11_LIBRARY',
  env: ['C2P_CONF'],
});
