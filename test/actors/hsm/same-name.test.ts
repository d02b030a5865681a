// Two nodes that make a key of the same name on one token at the same time: one of them gets it, and the name stays that of one key.
import assert from 'node:assert/strict';
import pkcs11js from 'pkcs11js';
import { test } from 'uvu';
import type { BroughtKey, TokenKey } from '../../../actors/hsm/api.ts';
import { KeyExists } from '../../../actors/hsm/token/free-name.ts';
import { bring, generate, generatePair } from '../../../actors/hsm/token/key-store.ts';
import { Token } from '../../../actors/hsm/token/token.ts';
import { CKA } from '../../../kmip/pkcs11.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { createSoftHsm, type SoftHsm } from '../../softhsm.ts';
import { SOFTHSM_LIBRARY, skipWithout } from '../../system.ts';

const PIN = '12345678';
const SESSION_FLAGS = 6;
const P256 = Buffer.from('06082a8648ce3d030107', 'hex');
const options = (name: string) => ({ name, uses: [], sensitive: true, extractable: false });
const BROUGHT: BroughtKey = { kind: 'secret', type: 'AES', value: new Uint8Array(32).fill(7) };

interface Making {
  /** The call of PKCS #11 that makes it. */
  readonly call: 'C_GenerateKey' | 'C_GenerateKeyPair' | 'C_CreateObject';
  readonly kinds: readonly TokenKey['kind'][];
  make(token: Token, name: string): TokenKey;
}

const MAKINGS: Readonly<Record<string, Making>> = {
  secret: { call: 'C_GenerateKey', kinds: ['secret'], make: (token, name) => generate(token, { ...options(name), type: 'AES', bits: 256 }, { isMade: false }) },
  pair: {
    call: 'C_GenerateKeyPair',
    kinds: ['private', 'public'],
    make: (token, name) => generatePair(token, { ...options(name), publicUses: [], type: { curve: 'EC', params: P256 } }, { isMade: false }),
  },
  brought: { call: 'C_CreateObject', kinds: ['secret'], make: (token, name) => bring(token, options(name), BROUGHT, { isMade: false }) },
};

if (!skipWithout('softhsm2')) {
  let hsm: SoftHsm;
  let library: pkcs11js.PKCS11;
  let slot: Buffer;
  test.before(() => {
    hsm = createSoftHsm();
    const number = BigInt(hsm.addToken('shared', PIN));
    library = new pkcs11js.PKCS11();
    library.load(SOFTHSM_LIBRARY);
    library.C_Initialize();
    slot = library.C_GetSlotList(true).find((each) => each.readBigUInt64LE() === number) as Buffer;
    library.C_Login(library.C_OpenSession(slot, SESSION_FLAGS), 1, PIN);
  });
  test.after(() => {
    library?.C_Finalize();
    hsm?.end();
  });

  /** With a session of its own. @param before runs once, when the token is asked to make a key: the name was found free then */
  const open = (call?: Making['call'], before = () => {}): Token => {
    const session = library.C_OpenSession(slot, SESSION_FLAGS);
    let isFirst = true;
    const watched = new Proxy(library, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (name === call && isFirst) {
            isFirst = false;
            before();
          }
          return method.apply(target, args);
        };
      },
    });
    return new Token({ library: watched, session, mechanisms: new Set(library.C_GetMechanismList(slot)), handles: new Map(), quirks: {} });
  };

  for (const [kind, { call, kinds, make }] of Object.entries(MAKINGS))
    test(`${kind}: who comes second gives way, and the key of the first stays, alone`, () => {
      const [first, name] = [open(), `same ${kind}`];
      let winner: ReturnType<Token['lookUp']>;
      const second = open(call, () => {
        make(first, name);
        winner = first.lookUp({ name, kind: kinds[0] as TokenKey['kind'] });
      });
      assert.throws(() => make(second, name), KeyExists);
      for (const each of kinds) assert.equal(first.listed(each).filter((key) => first.read(key, CKA.LABEL)?.toString() === name).length, 1, each);
      assert.deepEqual(first.lookUp({ name, kind: kinds[0] as TokenKey['kind'] }), winner);
      assert.throws(() => make(second, name), KeyExists);
    });

  for (const [kind, { call, kinds, make }] of Object.entries(MAKINGS))
    test(`${kind}: a making that the token refuses leaves alone the key that another node has made meanwhile`, () => {
      const [first, name] = [open(), `refused ${kind}`];
      const full = Object.assign(new Error('of the token'), { code: CKR.DEVICE_MEMORY });
      const second = open(call, () => {
        make(first, name);
        throw full;
      });
      assert.throws(
        () => make(second, name),
        (error) => error === full,
      );
      for (const each of kinds) assert.equal(first.listed(each).filter((key) => first.read(key, CKA.LABEL)?.toString() === name).length, 1, each);
    });
}

test.run();
