// The HSM model vendor_a: Utimaco SecurityServer.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'vendor_a',
  about: 'Utimaco SecurityServer',
  libraries: { linux: ['/lib/libcs_pkcs11_R3.so', '/usr/lib/libcs_pkcs11_R3.so'] },
  libraryVariable: 'CS_PKCS11_LIBRARY',
  env: ['CS_PKCS11_R3_CFG'],
});
