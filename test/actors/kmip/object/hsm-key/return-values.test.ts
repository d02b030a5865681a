// Each return value of PKCS#11 has its place: a failure of the token, a fault of what was asked, one that ends a session or a handle, or one that no use returns.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { isStaleObject, isStaleSession } from '../../../../../actors/hsm/token/return-value.ts';
import { OF_DEVICE, REASON } from '../../../../../actors/kmip/object/hsm-key/return-values.ts';
import { refusalOf } from '../../../../../actors/kmip/object/hsm-key/token-refusal.ts';
import { Unavailable } from '../../../../../kmip/refusal.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../../../kmip/ttlv/pkcs11.ts';

const told = (text: string) => refusalOf({ why: 'refused', text }, { prefix: 'hsm::soft_hsm', slot: 0 }, 'CKM_AES_GCM');

/** What is wrong may be the data, the key or the token: that it failed is all that can be said. */
const OF_ANYTHING = [
  ...['GENERAL_ERROR', 'FUNCTION_FAILED', 'ENCRYPTED_DATA_INVALID', 'ENCRYPTED_DATA_LEN_RANGE', 'AEAD_DECRYPT_FAILED', 'SIGNATURE_INVALID'],
  ...['SIGNATURE_LEN_RANGE', 'WRAPPED_KEY_INVALID', 'WRAPPED_KEY_LEN_RANGE', 'TEMPLATE_INCOMPLETE', 'ATTRIBUTE_READ_ONLY', 'ATTRIBUTE_TYPE_INVALID'],
];

/** Of calls and mechanisms that this server does not use, or of its login, which the status tells of. */
const NOT_OF_USES = [
  ...['OK', 'NO_EVENT', 'FUNCTION_NOT_PARALLEL', 'SESSION_PARALLEL_NOT_SUPPORTED', 'SESSION_EXISTS', 'SESSION_READ_ONLY_EXISTS'],
  ...['SESSION_READ_WRITE_SO_EXISTS', 'USER_ALREADY_LOGGED_IN', 'USER_TYPE_INVALID', 'USER_ANOTHER_ALREADY_LOGGED_IN', 'USER_TOO_MANY_TYPES'],
  ...['CRYPTOKI_ALREADY_INITIALIZED', 'SAVED_STATE_INVALID', 'STATE_UNSAVEABLE', 'RANDOM_SEED_NOT_SUPPORTED', 'KEY_NOT_NEEDED', 'KEY_CHANGED'],
  ...['KEY_NEEDED', 'KEY_INDIGESTIBLE', 'NEW_PIN_MODE', 'NEXT_OTP', 'EXCEEDED_MAX_ITERATIONS', 'PIN_TOO_WEAK', 'VENDOR_DEFINED'],
];

test('each return value has one place', () => {
  for (const [name, code] of Object.entries(CKR)) {
    const error = Object.assign(new Error(name), { code });
    const places = [
      OF_DEVICE[`CKR_${name}`] !== undefined && !isStaleSession(error),
      REASON[`CKR_${name}`] !== undefined,
      isStaleObject(error) || isStaleSession(error),
      OF_ANYTHING.includes(name),
      NOT_OF_USES.includes(name),
    ];
    assert.equal(places.filter(Boolean).length, 1, name);
  }
});

test('a failure of the token is Unavailable, and nothing else is', () => {
  for (const name of Object.keys(CKR)) assert.equal(told(`CKR_${name}`) instanceof Unavailable, OF_DEVICE[`CKR_${name}`] !== undefined, name);
});

test('names that no standard has are told with their number, as a failure of the operation', () => {
  const { reason, message } = told('CKR 0x80000030');
  assert.deepEqual([reason, message], ['CryptographicFailure', 'the token refuses CKM_AES_GCM: CKR 0x80000030']);
});
test.run();
