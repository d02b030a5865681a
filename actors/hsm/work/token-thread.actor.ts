// A thread beside that of an HSM instance, which lends it sessions: it does what would hold up the others, and neither logs in nor initialises.
import { defineActor } from '../../../kernel/actor.ts';
import type { HsmQuirks, TokenKeyName } from '../api.ts';
import { loadLibrary } from '../token/cryptoki.ts';
import { cacheName } from '../token/key-name.ts';
import { isStaleObject } from '../token/return-value.ts';
import { Token } from '../token/token.ts';
import { isExpected } from './expected-error.ts';
import { doWork, isLong, type Work } from './work.ts';
import { encodeError, type WorkError } from './work-error.ts';

export interface TokenThreadArgs {
  /** Path of the library, which the instance has initialised. */
  readonly library: string;
  readonly quirks: HsmQuirks;
}

export interface LentWork extends Work {
  /** Handle of the session. */
  readonly session: Uint8Array;
  /** A session that is lent anew has another number, also if the token gives it the same handle. */
  readonly lease: number;
  /** Of the slot; those of the call before, if left out. */
  readonly slot: number;
  readonly mechanisms?: readonly number[] | undefined;
  /** Of the key that it uses. `isDue`: it is to be looked at before. */
  readonly handle?: { readonly key: TokenKeyName; readonly bytes: Uint8Array; readonly isDue: boolean } | undefined;
}

export type WorkResult =
  | { readonly ok: true; readonly value: unknown }
  /** `isSpoiled`: the session is in the middle of an operation, or gone, and nothing was done. */
  | { readonly ok: false; readonly error: WorkError; readonly isMade: boolean; readonly isSpoiled: boolean };

export type TokenThreadApi = { run(work: LentWork): WorkResult | Promise<WorkResult> };

/** Leases that are remembered as spoiled; the instance lends none of them again. */
const MAX_SPOILED = 1_000;

const DUE = { isDue: () => true, done() {} };

/** The first turn sends the answers. */
const answersLeft = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

export default defineActor<TokenThreadApi, TokenThreadArgs>(async ({ library: path, quirks }) => {
  const library = await loadLibrary(path);
  const mechanismsOf = new Map<number, ReadonlySet<number>>();
  const spoiled = new Set<number>();
  const tokenFor = ({ slot, session, mechanisms, handle }: LentWork): Token => {
    if (mechanisms) mechanismsOf.set(slot, new Set(mechanisms));
    const handles = new Map(handle ? [[cacheName(handle.key), Buffer.from(handle.bytes)]] : []);
    return new Token({
      library,
      session: Buffer.from(session),
      mechanisms: mechanismsOf.get(slot) ?? new Set(),
      handles,
      quirks,
      ...(handle?.isDue && { checks: DUE }),
    });
  };
  const run = (work: LentWork): WorkResult => {
    const { lease, making } = work;
    const token = tokenFor(work);
    if (spoiled.has(lease)) return { ok: false, error: { kind: 'other', text: 'the session has ended' }, isMade: making.isMade, isSpoiled: true };
    try {
      return { ok: true, value: doWork(token, work) };
    } catch (error) {
      // A stale handle was refused before anything began in the session.
      if (!isExpected(error) && !isStaleObject(error)) spoiled.add(lease);
      if (spoiled.size > MAX_SPOILED) spoiled.delete(spoiled.values().next().value as number);
      return { ok: false, error: encodeError(error), isMade: making.isMade, isSpoiled: false };
    }
  };
  return {
    // The answer to a search that came in the same message leaves first: it would wait until the long call has returned.
    api: { run: (work) => (isLong(work.name) ? answersLeft().then(() => run(work)) : run(work)) },
    stop() {
      library.close();
    },
  };
});
