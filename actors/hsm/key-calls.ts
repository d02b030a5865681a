// The calls on keys of an instance: each runs in the session of its slot, and is counted.

import { NAME_OF } from '../../kmip/pkcs11.ts';
import type { HsmAnswer, HsmApi } from './api.ts';
import { bring, destroy, generate, generatePair, type Making, readValue } from './key-store.ts';
import { decrypt, derive, encrypt, sign, unwrap, wrap } from './key-use.ts';
import type { Parts } from './parts.ts';
import { GIVEN_UP, type SlotSession } from './slot-session.ts';
import { outcomeOf, type Tally } from './tally.ts';
import type { Token } from './token.ts';
import { Turns } from './turns.ts';

type KeyCalls = Omit<HsmApi, 'probe' | 'facts' | 'figures'>;

const UNKNOWN_SLOT = { ok: false, failure: { why: 'unavailable', text: 'it is not in hsm_slot' } } as const;

/** @param isAwaited whether somebody still waits for the call that is being served */
export function keyCalls(sessions: ReadonlyMap<number, SlotSession>, tally: Tally, isAwaited: () => boolean): KeyCalls {
  const turns = new Turns();
  const turn = { pause: () => turns.pause, isAwaited };
  const on = async <T>(operation: keyof KeyCalls, slot: number, work: (token: Token) => T): Promise<HsmAnswer<T>> => {
    const start = performance.now();
    const answer = (await sessions.get(slot)?.run((token) => turns.time(() => work(token)), turn)) ?? UNKNOWN_SLOT;
    if (answer !== GIVEN_UP) tally.add(operation, answer.ok ? 'CKR_OK' : outcomeOf(answer.failure), performance.now() - start);
    return answer;
  };
  const inParts = <T>(operation: keyof KeyCalls, slot: number, work: (parts: Parts, token: Token) => T) =>
    on(operation, slot, (token) => work((sessions.get(slot) as SlotSession).parts, token));
  const making = <T>(operation: keyof KeyCalls, slot: number, work: (token: Token, progress: Making) => T) => {
    const progress: Making = { isMade: false };
    return on(operation, slot, (token) => work(token, progress));
  };
  return {
    async mechanisms(slot) {
      const answer = (await sessions.get(slot)?.mechanisms()) ?? UNKNOWN_SLOT;
      return answer.ok ? { ok: true, value: [...answer.value].flatMap((code) => NAME_OF.get(code) ?? []) } : answer;
    },
    list: (slot) => on('list', slot, (token) => token.list()),
    find: (slot, key) => on('find', slot, (token) => token.describe(key)),
    generate: (slot, options) => making('generate', slot, (token, progress) => generate(token, options, progress)),
    generatePair: (slot, options) => making('generatePair', slot, (token, progress) => generatePair(token, options, progress)),
    bring: (slot, options, key) => making('bring', slot, (token, progress) => bring(token, options, key, progress)),
    destroy: (slot, key) => on('destroy', slot, (token) => destroy(token, key)),
    value: (slot, key) => on('value', slot, (token) => readValue(token, key)),
    encrypt: (slot, key, mechanism, data) => on('encrypt', slot, (token) => encrypt(token, key, mechanism, data)),
    decrypt: (slot, key, mechanism, data) => on('decrypt', slot, (token) => decrypt(token, key, mechanism, data)),
    sign: (slot, key, mechanism, data) => on('sign', slot, (token) => sign(token, key, mechanism, data)),
    wrap: (slot, key, mechanism, material) => on('wrap', slot, (token) => wrap(token, key, mechanism, material)),
    unwrap: (slot, key, mechanism, wrapped) => on('unwrap', slot, (token) => unwrap(token, key, mechanism, wrapped)),
    beginParts: (slot, owner, key, start, data) => inParts('beginParts', slot, (parts, token) => parts.begin(token, owner, key, start, data)),
    nextPart: (slot, owner, value, data) => inParts('nextPart', slot, (parts, token) => parts.update(token, owner, value, data)),
    lastPart: (slot, owner, value, data, proof) => inParts('lastPart', slot, (parts, token) => parts.finish(token, owner, value, data, proof)),
    derive: (slot, key, mechanism, length) => on('derive', slot, (token) => derive(token, key, mechanism, length)),
  };
}
