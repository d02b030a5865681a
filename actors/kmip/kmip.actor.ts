// One thread of the key server: serves KMIP messages, calls of the REST crypto API and grants, and runs scheduled rotations.
import { SeededRandom } from '../../crypto/random.ts';
import { startSelfTest } from '../../crypto/self-test/self-test.ts';
import { type ActorContext, defineActor } from '../../kernel/actor.ts';
import { DataKey } from '../../kernel/keys/data-key.ts';
import { openBelievedTime } from '../../kernel/store/believed-time.ts';
import { createForgedRows } from '../../kernel/store/forged-rows.ts';
import type { HsmApi } from '../hsm/api.ts';
import type { StreamApi } from '../stream/api.ts';
import { createAccess } from './access.ts';
import type { KmipApi, KmipArgs } from './api.ts';
import { createAside } from './aside.ts';
import { endLost } from './asynchronous/claim.ts';
import { runLater } from './asynchronous/later.ts';
import { purgeResults } from './asynchronous/rows.ts';
import { ASYNCHRONOUS_LIMITS, type Asynchronous } from './asynchronous/surroundings.ts';
import { AsynchronousWorker } from './asynchronous/worker.ts';
import { answerCrypto } from './jose/answer.ts';
import { CorrelationRate } from './message/correlation-rate.ts';
import { serve } from './message/serve.ts';
import { databaseObjects } from './object/database-objects.ts';
import { hsmKeys } from './object/hsm-key/hsm-key.ts';
import { hsmObjects } from './object/hsm-key/hsm-objects.ts';
import { Tokens } from './object/hsm-key/tokens.ts';
import { ObjectRouter } from './object/object-router.ts';
import { ObjectCache } from './object/rows/cache.ts';
import { ContentRoom } from './object/rows/content-room.ts';
import { adoptRows } from './object/rows/row-adoption.ts';
import { ObjectRows } from './object/rows/rows.ts';
import { softwareKeys } from './object/software-key/software-key.ts';
import { unconfiguredHsm } from './object/unconfigured-hsm.ts';
import { OPERATIONS } from './operations/index.ts';
import { throwFaults } from './refused-call.ts';
import { rotateDue } from './rotation.ts';
import { openStreams } from './streams.ts';
import { purgeTickets } from './tickets.ts';
import { writeRefusals } from './told-refusals.ts';
import { createTombstones } from './tombstones.ts';
import { type Serving, warmUp } from './warm-up.ts';

/** @returns what builds the key server of this thread over its own rows, and that of the warm-up over others */
function keyServers(args: KmipArgs, ctx: ActorContext, tokens: Tokens): Serving['serverOver'] {
  const hasTokens = tokens.prefixes.length > 0;
  const keyKinds = hasTokens ? [hsmKeys(tokens), softwareKeys] : [softwareKeys];
  const streams = openStreams(ctx.peer<StreamApi>('kmip_stream'));
  const asynchronous: Asynchronous = {
    clock: ctx.clock,
    limits: args.asynchronous ?? ASYNCHRONOUS_LIMITS,
    runLater,
    requireHere() {},
    apart: ctx.apart,
    acting: (caller) => (hasTokens ? tokens.acting(caller) : caller),
  };
  return (over) => {
    const parts = { rows: over.rows, store: over.store, cache: new ObjectCache(over.rows, over.store, ctx.versions) };
    return {
      args,
      operations: OPERATIONS,
      log: over.log,
      requestId: over.requestId,
      now: () => ctx.clock.now(),
      monotonic: () => ctx.clock.monotonic(),
      store: over.store,
      rows: over.rows,
      // The sources of objects: each further place for objects is added here.
      objects: new ObjectRouter(databaseObjects(parts), [hasTokens ? hsmObjects(tokens, parts, args.keyEncryptionKeys ?? []) : unconfiguredHsm]),
      room: new ContentRoom(() => ctx.call()?.signal),
      keyKinds,
      streams,
      random: new SeededRandom(),
      aside: createAside(() => ctx.call()),
      asynchronous,
      correlations: new CorrelationRate(),
    };
  };
}

/** Keys must not rotate a day late because a server was off, or its machine stood still, for a week. */
const TOLERATED_MS = 30 * 86_400_000;

export default defineActor<KmipApi, KmipArgs>(async (args, ctx) => {
  const store = await ctx.openStore();
  const now = () => ctx.clock.now();
  const believedTime = await openBelievedTime(store, ctx.clock, TOLERATED_MS);
  const dataKey = new DataKey('keys', ctx.dataKey('keys'), now, args.maxSealsPerDataKey);
  const forged = createForgedRows(store, ctx.log, () => ctx.clock.monotonic(), 'key.forged');
  const rows = new ObjectRows(dataKey, now, forged);
  if (ctx.adopts('keys')) await adoptRows(store, rows.seals, ctx.log);
  const tokens = new Tokens(ctx.peer<HsmApi>('hsm'), ctx.log);
  const serverOver = keyServers(args, ctx, tokens);
  const server = serverOver({ rows, store, log: ctx.log, requestId: () => ctx.call()?.requestId });
  // As through a port: to V8, objects and texts that were copied are others than those of the code.
  const serving = { serverOver, received: <A extends readonly unknown[]>(args: A) => structuredClone(args) };
  startSelfTest(ctx, { isOn: args.selfTests, more: args.knownAnswers, afterwards: (idle) => warmUp(serving, server, idle) });
  const worker = new AsynchronousWorker(server);
  const { acting } = server.asynchronous;
  return {
    api: throwFaults<KmipApi>({
      ...createAccess(server, acting),
      ...createTombstones(server),
      serve: async (message, encoding, endpoint, caller, verdict) => serve(server, message, encoding, endpoint, acting(caller), verdict),
      crypto: async (call, body, caller) => answerCrypto(server, call, body, acting(caller)),
      noteRefusals: (rows) => writeRefusals(server, rows),
      rotateDue: () => rotateDue({ ...server, now: () => believedTime.now() }),
      runSubmitted: async () => worker.wake(),
      async tendAsynchronous() {
        await endLost(server);
        await purgeResults(store, now(), server.asynchronous.limits.resultSeconds * 1_000);
        worker.wake();
      },
      purgeTickets: () => purgeTickets(store, Math.floor(believedTime.now() / 1000)),
    }),
    async stop() {
      await worker.stop();
      await store.close();
    },
  };
});
