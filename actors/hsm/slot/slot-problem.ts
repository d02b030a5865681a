// Why a slot cannot be used, as its status tells it: with what to do where only an operator can.
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { nameOf, returnValue } from '../token/return-value.ts';

const TO_DO: ReadonlyMap<number, readonly [problem: string, advice: string]> = new Map([
  [CKR.TOKEN_NOT_RECOGNIZED, ['the slot holds no initialised token', 'initialise it, or check hsm_slot']],
  [CKR.USER_PIN_NOT_INITIALIZED, ['the token has no PIN of a user', 'set it with a tool of its vendor']],
]);

export function problemOf(error: unknown): string {
  const known = TO_DO.get(returnValue(error) ?? -1);
  return known ? `${known[0]} (${nameOf(error)}): ${known[1]}` : nameOf(error);
}
