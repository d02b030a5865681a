// A slot whose session is lost while nobody uses it, with a library that is none: it is logged in again before anybody is refused.
import { deepEqual, equal, match } from 'node:assert/strict';
import type pkcs11js from 'pkcs11js';
import { test } from 'uvu';
import { SlotWatch } from '../../../actors/hsm/slot-watch.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';

/** A library with one token, of which `fault` says what the next look at a session returns. */
function fakeLibrary() {
  const state = { fault: undefined as number | undefined, login: undefined as number | undefined, logins: [] as string[], sessions: 0 };
  const fail = (code: number) => {
    throw Object.assign(new Error('of the token'), { code });
  };
  const slot = Buffer.alloc(8);
  const library = {
    C_GetSlotList: () => [slot],
    C_GetTokenInfo: () => ({ serialNumber: 'serial  ', flags: 0 }),
    C_OpenSession: () => Buffer.alloc(8, ++state.sessions),
    C_CloseSession: () => undefined,
    C_Login(_session: unknown, _user: unknown, pin: string) {
      state.logins.push(pin);
      if (state.login !== undefined) fail(state.login);
    },
    C_GetSessionInfo() {
      const { fault } = state;
      state.fault = undefined;
      if (fault !== undefined) fail(fault);
    },
  };
  return { state, library: library as unknown as pkcs11js.PKCS11 };
}

const newWatch = () => new SlotWatch(0, 'pin', { serial: 'serial', bind: async () => undefined });

for (const name of ['SESSION_HANDLE_INVALID', 'DEVICE_ERROR', 'FUNCTION_FAILED'] as const)
  test(`a probe that finds CKR_${name} logs in again at once`, async () => {
    const { state, library } = fakeLibrary();
    const watch = newWatch();
    equal(await watch.probe(library), true);
    const before = watch.login;
    state.fault = CKR[name];
    equal(await watch.probe(library), true);
    deepEqual([watch.problem, state.logins.length, state.sessions], [undefined, 2, 2]);
    equal(watch.login, before + 1);
  });

test('a PIN that is refused then is not offered again', async () => {
  const { state, library } = fakeLibrary();
  const watch = newWatch();
  await watch.probe(library);
  Object.assign(state, { fault: CKR.SESSION_CLOSED, login: CKR.PIN_INCORRECT });
  for (let probe = 0; probe < 3; probe++) equal(await watch.probe(library), false);
  equal(state.logins.length, 2);
  match(watch.problem ?? '', /the token refused the PIN/);
});

test.run();
