// The HSM model other: any other PKCS#11 library; name it in library.
import { defineHsmModel } from './model.ts';

export default defineHsmModel({
  model: 'other',
  about: 'any other PKCS#11 library; name it in library',
  libraries: { linux: [] },
  env: [],
});
