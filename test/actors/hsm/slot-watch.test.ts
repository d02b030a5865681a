// A slot whose session is lost while nobody uses it, with a library that is none: it is logged in again before anybody is refused.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pkcs11js from 'pkcs11js';
import { test } from 'uvu';
import { SlotWatch } from '../../../actors/hsm/slot/slot-watch.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { temporaryFolder } from '../../server.ts';

/** A library with one token, of which `fault` says what the next look at a session returns. */
function fakeLibrary() {
  const state = { fault: undefined as number | undefined, login: undefined as number | undefined, logins: [] as string[], sessions: 0, label: 'one' };
  const fail = (code: number) => {
    throw Object.assign(new Error('of the token'), { code });
  };
  const slot = Buffer.alloc(8);
  const library = {
    C_GetSlotList: () => [slot],
    C_GetTokenInfo(of?: Buffer) {
      // As the binding says it.
      if (of === undefined) throw new TypeError('Argument 0 has wrong type. Should be a Buffer');
      return { serialNumber: 'serial  ', flags: 0, label: state.label };
    },
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

test('a login that ends while it is bound to its token is made again', async () => {
  const { state, library } = fakeLibrary();
  let closes = 1;
  const watch: SlotWatch = new SlotWatch(0, 'pin', {
    serial: undefined,
    async bind() {
      if (closes-- > 0) watch.close();
    },
  });
  equal(await watch.probe(library), true);
  deepEqual([watch.problem, state.logins.length], [undefined, 2]);
  const lost: SlotWatch = new SlotWatch(0, 'pin', { serial: undefined, bind: async () => lost.close() });
  equal(await lost.probe(library), false);
  deepEqual([lost.problem, lost.hasEnded], ['its session ended', true]);
});

test('a token that has another label is not used, nor offered the PIN, until its library was started again', async () => {
  const { state, library } = fakeLibrary();
  const watch = newWatch();
  equal(await watch.probe(library), true);
  state.label = 'made anew';
  for (let probe = 0; probe < 2; probe++) equal(await watch.probe(library), false);
  match(watch.problem ?? '', /^the token has another label than at the login/);
  deepEqual([state.logins.length, watch.isRenewed], [1, true]);
  watch.reset('restarted');
  equal(await watch.probe(library), true);
  deepEqual([state.logins.length, watch.isRenewed], [2, false]);
});

test('a token without a PIN of a user says so, and is offered the PIN again until it has one', async () => {
  const { state, library } = fakeLibrary();
  const watch = newWatch();
  state.login = CKR.USER_PIN_NOT_INITIALIZED;
  for (let probe = 0; probe < 2; probe++) equal(await watch.probe(library), false);
  equal(watch.problem, 'the token has no PIN of a user (CKR_USER_PIN_NOT_INITIALIZED): set it with a tool of its vendor');
  state.login = undefined;
  equal(await watch.probe(library), true);
  equal(state.logins.length, 3);
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

test('after a refusal a token with another label gets the PIN once, when its library was started again', async () => {
  const { state, library } = fakeLibrary();
  const watch = newWatch();
  state.login = CKR.PIN_INCORRECT;
  for (let probe = 0; probe < 2; probe++) equal(await watch.probe(library), false);
  state.label = 'made anew';
  equal(await watch.probe(library), false);
  match(watch.problem ?? '', /^the token refused the PIN and shows now that it was corrected/);
  deepEqual([state.logins.length, watch.isRenewed], [1, true]);
  for (let probe = 0; probe < 2; probe++) {
    watch.reset('restarted');
    equal(await watch.probe(library), false);
  }
  match(watch.problem ?? '', /the token refused the PIN/);
  deepEqual([state.logins.length, watch.isRenewed], [2, false]);
  Object.assign(state, { label: 'made anew again', login: undefined });
  equal(await watch.probe(library), false);
  watch.reset('restarted');
  equal(await watch.probe(library), true);
  equal(state.logins.length, 3);
});

test('a slot whose number leads to the token that another one is bound to is refused, and offers it no PIN', async () => {
  const { state, library } = fakeLibrary();
  const claims = async () => [{ prefix: 'hsm::other', number: 7, serial: 'serial', isBefore: false }];
  const watch = new SlotWatch(0, 'pin', { serial: undefined, bind: async () => undefined, claims });
  await watch.readClaims();
  equal(await watch.probe(library), false);
  match(watch.problem ?? '', /^the token serial is that of slot 7 of hsm::other: /);
  deepEqual([state.logins, watch.isTaken], [[], true]);
  const failure = watch.unavailable('taken');
  deepEqual([watch.serial, failure.holder], ['serial', { prefix: 'hsm::other', slot: 7 }]);
  const bound = new SlotWatch(0, 'pin', { serial: 'serial', bind: async () => undefined, claims });
  await bound.readClaims();
  equal(await bound.probe(library), true);
});

test('of several slots the one that is bound to the token is named, not one whose number leads there', async () => {
  const { library } = fakeLibrary();
  const unbound = { prefix: 'hsm::first', number: 0, serial: undefined, isBefore: true };
  const claims = async () => [unbound, { prefix: 'hsm::other', number: 7, serial: 'serial', isBefore: false }];
  const watch = new SlotWatch(0, 'pin', { serial: undefined, bind: async () => undefined, claims });
  await watch.readClaims();
  equal(await watch.probe(library), false);
  match(watch.problem ?? '', /^the token serial is that of slot 7 of hsm::other: /);
});

test('another PIN in its file is offered, the refused one never again', async () => {
  const { state, library } = fakeLibrary();
  const folder = temporaryFolder();
  const file = join(folder, 'pin');
  const watch = new SlotWatch(0, { file }, { serial: 'serial', bind: async () => undefined });
  const probe = async (pin: string) => {
    writeFileSync(file, `${pin}\n`);
    return watch.probe(library);
  };
  state.login = CKR.PIN_INCORRECT;
  for (const pin of ['typo', 'typo', 'typo', 'other typo', 'other typo', 'typo', 'other typo']) equal(await probe(pin), false);
  deepEqual(state.logins, ['typo', 'other typo']);
  match(watch.problem ?? '', /does not send this PIN again until its file has another, or the token shows that it was corrected/);
  rmSync(file);
  equal(await watch.probe(library), false);
  match(watch.problem ?? '', /cannot be read \(ENOENT\)/);
  // As between the two steps in which an editor writes it.
  writeFileSync(file, '');
  equal(await watch.probe(library), false);
  match(watch.problem ?? '', /pin is empty$/);
  equal(await probe('other typo'), false);
  equal(watch.refused, true);
  // The token does not say whether it is the right one.
  state.login = CKR.DEVICE_ERROR;
  equal(await probe('right'), false);
  equal(watch.refused, false);
  for (const pin of ['typo', 'other typo']) equal(await probe(pin), false);
  equal(watch.refused, true);
  state.login = undefined;
  equal(await probe('right'), true);
  equal(watch.refused, false);
  deepEqual(state.logins, ['typo', 'other typo', 'right', 'right']);
  rmSync(folder, { recursive: true });
});

test('a PIN that is refused for the use of a key is sent for no other use, nor for the next login', async () => {
  const { state, library } = fakeLibrary();
  const watch = newWatch();
  equal(await watch.probe(library), true);
  const session = watch.sessions.open();
  watch.confirm(session);
  state.login = CKR.PIN_INCORRECT;
  for (let use = 0; use < 2; use++) throws(() => watch.confirm(session), { code: CKR.PIN_INCORRECT });
  equal(state.logins.length, 3);
  state.fault = CKR.SESSION_CLOSED;
  equal(await watch.probe(library), false);
  match(watch.problem ?? '', /the token refused the PIN/);
  deepEqual([state.logins.length, watch.refused], [3, true]);
});

test('a token that refuses the PIN and then tells nothing of itself does not get the PIN again', async () => {
  const { state, library } = fakeLibrary();
  const watch = newWatch();
  const told = library.C_GetTokenInfo;
  let asked = 0;
  state.login = CKR.PIN_INCORRECT;
  library.C_GetTokenInfo = (slot) => {
    if (++asked === 2) throw Object.assign(new Error('of the token'), { code: CKR.DEVICE_ERROR });
    return told.call(library, slot);
  };
  for (let probe = 0; probe < 3; probe++) equal(await watch.probe(library), false);
  deepEqual(state.logins, ['pin']);
});

test.run();
