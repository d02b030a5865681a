// The key server in the threads of its callers: serves calls that take microseconds and write nothing; leaves all others to the actor.
import { SeededRandom } from '../../crypto/random.ts';
import { startSelfTest } from '../../crypto/self-test/self-test.ts';
import { type BesideContext, type BesidePart, defineBeside, isLeft } from '../../kernel/actor.ts';
import { orElse } from '../../kernel/at-once.ts';
import { DataKey } from '../../kernel/keys/data-key.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { HsmApi } from '../hsm/api.ts';
import type { Answer, KmipApi, KmipArgs, Principal } from './api.ts';
import { runLater } from './asynchronous/later.ts';
import { ASYNCHRONOUS_LIMITS } from './asynchronous/surroundings.ts';
import { answerCrypto } from './jose/answer.ts';
import { leave, leaveWrite } from './leave.ts';
import { CorrelationRate } from './message/correlation-rate.ts';
import { serve } from './message/serve.ts';
import { databaseObjects } from './object/database-objects.ts';
import { HSM } from './object/hsm-identifier.ts';
import { quickTokenKeys } from './object/hsm-key/quick-token-key.ts';
import { quickTokenObjects } from './object/hsm-key/quick-token-objects.ts';
import { Tokens } from './object/hsm-key/tokens.ts';
import { ObjectRouter } from './object/object-router.ts';
import type { ObjectSource } from './object/object-source.ts';
import { ObjectCache } from './object/rows/cache.ts';
import { ContentRoom } from './object/rows/content-room.ts';
import { ObjectRows } from './object/rows/rows.ts';
import { quickKeys } from './object/software-key/quick-keys.ts';
import { unconfiguredHsm } from './object/unconfigured-hsm.ts';
import { OPERATIONS } from './operations/index.ts';
import { quickObjects, quickOperations, requireSmall } from './quick.ts';
import type { KeyServer } from './server.ts';
import { tellingStore } from './told-refusals.ts';
import { type Serving, warmUp } from './warm-up.ts';

/** Limit for a message or a body: a longer one takes too long even to read. */
const MAX_BYTES = 65_536;

/** Where there is no HSM. */
const elsewhere: ObjectSource = { ...unconfiguredHsm, canonical: leave, held: leave, absence: leave };

/** What names a key in an HSM, or happens to look so. */
const ON_TOKEN = Buffer.from(`${HSM}::`);
/** The same bytes. Of arrays that came in different ways V8 makes different classes, and code that meets several of them is slower. */
const alike = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** As with writes, one thread of the actor takes what is left of such calls while it has room: it mostly waits, and its messages to and from the HSM's thread go together. */
function withToken<T>(work: () => T | Promise<T>): T | Promise<T> {
  return orElse(work, (error) => (isLeft(error) ? leaveWrite() : Promise.reject(error)));
}

/** Whatever would be kept waiting for room is large. */
class NoRoom extends ContentRoom {
  override admit(): Promise<void> {
    return leave();
  }
}

/** @returns what builds the key server of this thread over its own rows, and that of the warm-up over others */
function keyServers(args: KmipArgs, ctx: BesideContext<KmipApi>, tokens: Tokens): Serving['serverOver'] {
  const hasTokens = tokens.prefixes.length > 0;
  const keyKinds = hasTokens ? [quickTokenKeys(tokens), quickKeys] : [quickKeys];
  const operations = quickOperations(OPERATIONS);
  return (over) => {
    const cache = new ObjectCache(over.rows, over.store, ctx.versions, undefined, (id) => requireSmall(over.store, id));
    const parts = { rows: over.rows, store: over.store, cache };
    return {
      args,
      operations,
      log: over.log,
      requestId: over.requestId,
      now: () => ctx.clock.now(),
      monotonic: () => ctx.clock.monotonic(),
      store: over.store,
      rows: over.rows,
      objects: new ObjectRouter(quickObjects(databaseObjects(parts)), [hasTokens ? quickTokenObjects(tokens, parts, args.keyEncryptionKeys ?? []) : elsewhere]),
      room: new NoRoom(() => undefined),
      keyKinds,
      streams: { begin: leave, update: leave, finish: leave, abandon: leave },
      random: new SeededRandom(),
      aside: leave,
      asynchronous: { clock: ctx.clock, limits: ASYNCHRONOUS_LIMITS, runLater, requireHere: leave, apart: leave, acting: leave },
      correlations: new CorrelationRate(),
    };
  };
}

export default defineBeside<KmipApi, KmipArgs>(async (args, ctx) => {
  const reader = await ctx.openReader();
  const now = () => ctx.clock.now();
  // Forged rows are left to the actor, which reports them.
  const rows = new ObjectRows(new DataKey('keys', ctx.dataKey('keys'), now, args.maxSealsPerDataKey), now, leave);
  const store: Store = { ...reader, dialect: 'sqlite', transaction: async () => leaveWrite() };
  const tokens = new Tokens(ctx.peer<HsmApi>('hsm'), ctx.log);
  const serverOver = keyServers(args, ctx, tokens);
  const server = serverOver({ rows, store, log: ctx.log, requestId: ctx.requestId });
  const received = <A extends readonly unknown[]>(args: A) => args.map((each) => (each instanceof Uint8Array ? alike(each) : each)) as unknown as A;
  const serving = { serverOver, received };
  const endSelfTest = startSelfTest(ctx, { isOn: args.selfTests, more: args.knownAnswers, afterwards: (idle) => warmUp(serving, server, idle) });
  return {
    api: partOf(server, tokens, { ...server, store: tellingStore(reader, (rows) => ctx.own('').noteRefusals(rows)) }),
    stop() {
      endSelfTest();
      tokens.close();
      return reader.close();
    },
  };
});

/** @param onTokens for uses of keys on tokens */
function partOf(server: KeyServer, tokens: Tokens, onTokens: KeyServer): BesidePart<KmipApi>['api'] {
  const hasTokens = tokens.prefixes.length > 0;
  const asActing = (caller: Principal, work: (acting: Principal) => Answer | Promise<Answer>) =>
    hasTokens ? withToken(() => work(tokens.acting(caller))) : leaveWrite();
  return {
    serve(message, encoding, endpoint, caller, verdict) {
      if (message.length > MAX_BYTES || verdict !== undefined) return leave();
      const bytes = alike(message);
      if (!bytes.includes(ON_TOKEN)) return serve(server, bytes, encoding, endpoint, caller);
      return asActing(caller, (acting) => serve(onTokens, bytes, encoding, endpoint, acting));
    },
    crypto(call, body, caller) {
      if (body.length > MAX_BYTES || !QUICK_CALLS.has(call.name)) return leave();
      const bytes = alike(body);
      if (!bytes.includes(ON_TOKEN)) return answerCrypto(server, call, bytes, caller);
      return asActing(caller, (acting) => answerCrypto(onTokens, call, bytes, acting));
    },
  };
}

const QUICK_CALLS: ReadonlySet<Parameters<KmipApi['crypto']>[0]['name']> = new Set(['encrypt', 'decrypt', 'sign', 'verify', 'mac', 'getTags']);
