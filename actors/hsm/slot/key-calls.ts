// The calls on keys of an instance: each runs in a session of its slot, is counted, and is a step of the request that it is for.
import { andThen } from '../../../kernel/at-once.ts';
import { bytesOfText } from '../../../kernel/runtime/channel/bytes.ts';
import { inSpan } from '../../../kernel/tracing/span.ts';
import { NAME_OF } from '../../../kmip/pkcs11.ts';
import type { Answered, FlatAnswer, HsmAnswer, HsmApi, Sealed, TokenKeyName } from '../api.ts';
import { outcomeOf, type Tally } from '../tally.ts';
import type { Token } from '../token/token.ts';
import { flatAnswer, mechanismOf } from '../work/flat-use.ts';
import type { Parts } from '../work/parts.ts';
import { GIVEN_UP, type Turn, Turns } from '../work/turns.ts';
import type { WorkArgs, WorkName, WorkValue } from '../work/work.ts';
import type { KeyLists } from './key-lists.ts';
import type { SlotSession } from './slot-session.ts';

type KeyCalls = Omit<HsmApi, 'probe' | 'acceptChange' | 'serials' | 'figures'>;
type Uncounted = 'mechanisms' | 'giveUp' | 'use';

const UNKNOWN_SLOT = { ok: false, failure: { why: 'unavailable', text: 'it is not in hsm_slot' } } as const;

interface KeyCallsOptions {
  /** Name of the instance. */
  readonly prefix: string;
  /** By slot. */
  readonly sessions: ReadonlyMap<number, SlotSession>;
  readonly tally: Tally;
  readonly lists: KeyLists;
  /** Whether somebody still waits for the call that is being served. */
  isAwaited(): boolean;
}

export function keyCalls({ prefix, sessions, tally, lists, isAwaited }: KeyCallsOptions): KeyCalls {
  const turns = new Turns();
  const turn: Turn = { pause: () => turns.pause, next: (work) => turns.next(work), isAwaited, time: (work) => turns.time(work) };
  const counted: Counted = (operation, slot, run) =>
    inSpan(`HSM ${operation}`, 'client', { 'gatehouse.hsm.instance': prefix, 'gatehouse.hsm.slot': slot }, (span) => {
      const start = performance.now();
      const session = sessions.get(slot);
      const count = <T>(answer: HsmAnswer<T>): HsmAnswer<T> => {
        if (answer === GIVEN_UP) return answer;
        const outcome = answer.ok ? 'CKR_OK' : outcomeOf(answer.failure);
        tally.add(operation, outcome, performance.now() - start);
        span?.set({ 'gatehouse.hsm.return_value': outcome });
        if (!answer.ok) span?.end(outcome);
        return answer;
      };
      return session ? andThen(run(session), count) : count(UNKNOWN_SLOT);
    });
  const on: OnWork = (name, slot, ...args) => counted(name, slot, (session) => session.do({ name, args, making: { isMade: false } }, turn));
  return {
    async mechanisms(slot) {
      const answer = (await sessions.get(slot)?.mechanisms()) ?? UNKNOWN_SLOT;
      return answer.ok ? { ok: true, value: [...answer.value].flatMap((code) => NAME_OF.get(code) ?? []) } : answer;
    },
    async giveUp(id) {
      await Promise.all([...sessions.values()].map(({ keys }) => keys.giveUpOf(id)));
    },
    use: (what, slot, kind, name, mechanism, data) =>
      andThen<HsmAnswer<Uint8Array | Sealed>, FlatAnswer>(on(what, slot, { name, kind }, mechanismOf(mechanism), bytesOfText(data)), flatAnswer),
    ...whole(on),
    list: (slot) => lists.of(slot, () => on('list', slot)),
    ...inParts((operation, slot, work, key) => counted(operation, slot, (session) => session.run((token) => work(session.parts, token), turn, key))),
  };
}

type PartCalls = Pick<KeyCalls, 'beginParts' | 'nextPart' | 'lastPart'>;
type Counted = <T>(operation: keyof KeyCalls, slot: number, run: (session: SlotSession) => Answered<T>) => Answered<T>;
type OnWork = <N extends WorkName & keyof KeyCalls>(name: N, slot: number, ...args: WorkArgs<N>) => Answered<WorkValue<N>>;
type OnParts = <T>(operation: keyof KeyCalls, slot: number, work: (parts: Parts, token: Token) => T, key?: TokenKeyName) => Answered<T>;

function whole(on: OnWork): Omit<KeyCalls, Uncounted | 'list' | keyof PartCalls> {
  return {
    find: (slot, key) => on('find', slot, key),
    generate: (slot, options) => on('generate', slot, options),
    generatePair: (slot, options) => on('generatePair', slot, options),
    bring: (slot, options, key) => on('bring', slot, options, key),
    destroy: (slot, key) => on('destroy', slot, key),
    hold: (slot, key) => on('hold', slot, key),
    value: (slot, key) => on('value', slot, key),
    give: (slot, key) => on('give', slot, key),
    wrapKey: (slot, key, mechanism, target) => on('wrapKey', slot, key, mechanism, target),
    encrypt: (slot, key, mechanism, data) => on('encrypt', slot, key, mechanism, data),
    decrypt: (slot, key, mechanism, data) => on('decrypt', slot, key, mechanism, data),
    sign: (slot, key, mechanism, data) => on('sign', slot, key, mechanism, data),
    wrap: (slot, key, mechanism, material) => on('wrap', slot, key, mechanism, material),
    unwrap: (slot, key, mechanism, wrapped) => on('unwrap', slot, key, mechanism, wrapped),
    derive: (slot, key, mechanism, length) => on('derive', slot, key, mechanism, length),
  };
}

function inParts(on: OnParts): PartCalls {
  return {
    beginParts: (slot, owner, key, start, data) =>
      on('beginParts', slot, (parts, token) => parts.begin(token, owner, key, start, data), key.wrapped?.by ?? key),
    nextPart: (slot, owner, value, data) => on('nextPart', slot, (parts, token) => parts.update(token, owner, value, data)),
    lastPart: (slot, owner, value, data, proof) => on('lastPart', slot, (parts, token) => parts.finish(token, owner, value, data, proof)),
  };
}
