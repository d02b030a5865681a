// The examples of kmip-go that are refused on purpose; all of what they do is in the tour as well.
import type { Refusal } from '../steps.ts';

const STATE = {
  says: /PermissionDenied.*State is server-managed/,
  reason: 'it creates keys with a State, which KMIP 1.4 section 3.22 has only the server set; a client gives an Activation Date',
};
const WRAPPING = { says: /PermissionDenied.*not active/, reason: 'its wrapping key was never activated and may not wrap; KMIP 1.4 section 3.22' };

export const EXAMPLES_REFUSED: readonly Refusal[] = [
  { step: 'unsupported operation', says: /OperationNotSupported|InvalidField/, reason: 'it asks for an operation that no version has' },
  { step: 'destroy twice', says: /PermissionDenied/, reason: 'KMIP 1.4 table 348: what is destroyed cannot be destroyed again' },
  {
    step: 'encrypt, decrypt AES-CBC',
    says: /missing-iv/,
    reason: 'it expects back the IV that it gave; KMIP 1.4 section 4.29 returns only one that the server made',
  },
  { step: 'encrypt by name', says: /missing-iv/, reason: 'it expects back the IV that it gave; KMIP 1.4 section 4.29 returns only one that the server made' },
  { step: 'encrypt, decrypt AES with usage limits', says: /PermissionDenied.*exhausted/, reason: 'its key may encrypt a single byte, and it encrypts twelve' },
  {
    step: 'state transitions',
    says: /InvalidField.*CryptographicUsageMask can have only one value/,
    reason: 'it gives its key the same usage mask twice; KMIP 1.4 section 3.19 has one instance of it',
  },
  {
    step: 'a batch that takes long',
    says: /Batch count mismatch/,
    reason: 'it makes ten pairs that all have one Name; KMIP 1.4 section 3.2 has Names unique, and the batch ends at the first refusal (section 7.2)',
  },
  { step: 'encrypt, decrypt RSA-OAEP', ...STATE },
  { step: 'encrypt, decrypt RSA PKCS#1', ...STATE },
  { step: 'sign, verify RSA PKCS#1 1.5', ...STATE },
  { step: 'sign, verify RSA-PSS', ...STATE },
  { step: 'sign, verify ECDSA', ...STATE },
  { step: 'crypto.Signer RSA PKCS#1 1.5', ...STATE },
  { step: 'crypto.Signer RSA-PSS', ...STATE },
  { step: 'crypto.Signer ECDSA', ...STATE },
  {
    step: 'register ECDSA with the wrong algorithm',
    says: /InvalidField.*the algorithm of the key is EC, but RSA was declared/,
    reason: 'the key is not what it is said to be',
  },
  { step: 'get wrapped in a way that is not supported', ...WRAPPING },
  { step: 'get, register a wrapped AES key', ...WRAPPING },
  { step: 'get, register a wrapped RSA key', ...WRAPPING },
  { step: 'get, register a wrapped ECDSA key', ...WRAPPING },
];
