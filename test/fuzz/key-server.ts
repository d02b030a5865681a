// A whole key server in this process for a fuzzer: real rows on SQLite, a clock that stands still, and a state that every input finds unchanged.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Principal } from '../../actors/kmip/api.ts';
import { runLater } from '../../actors/kmip/asynchronous/later.ts';
import { ASYNCHRONOUS_LIMITS } from '../../actors/kmip/asynchronous/surroundings.ts';
import { CorrelationRate } from '../../actors/kmip/message/correlation-rate.ts';
import { databaseObjects } from '../../actors/kmip/object/database-objects.ts';
import { ObjectRouter } from '../../actors/kmip/object/object-router.ts';
import type { ObjectSource } from '../../actors/kmip/object/object-source.ts';
import { NO_QUOTAS } from '../../actors/kmip/object/quota.ts';
import { ObjectCache } from '../../actors/kmip/object/rows/cache.ts';
import { ContentRoom } from '../../actors/kmip/object/rows/content-room.ts';
import { ObjectRows } from '../../actors/kmip/object/rows/rows.ts';
import { softwareKeys } from '../../actors/kmip/object/software-key/software-key.ts';
import { unconfiguredHsm } from '../../actors/kmip/object/unconfigured-hsm.ts';
import { OPERATIONS } from '../../actors/kmip/operations/index.ts';
import type { KeyServer } from '../../actors/kmip/server.ts';
import { openStreams } from '../../actors/kmip/streams.ts';
import type { StreamApi } from '../../actors/stream/api.ts';
import streamActor from '../../actors/stream/stream.actor.ts';
import { SeededRandom } from '../../crypto/random.ts';
import type { ActorContext, Remote } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DataKey } from '../../kernel/keys/data-key.ts';
import { inspectPayload } from '../../kernel/runtime/channel/bytes.ts';
import { migrate } from '../../kernel/store/migrate.ts';
import { openStore } from '../../kernel/store/open.ts';
import { createVersions } from '../../kernel/versions.ts';
import { KEYS_MIGRATIONS } from '../../plugins/keys/migrations.ts';
import { memoryLog } from '../runtime.ts';

export const ALICE: Principal = { user: 'acme/alice', realm: 'acme', scheme: 'up', source: '192.0.2.1' };
export const BOB: Principal = { user: 'acme/bob', realm: 'acme', scheme: 'up', source: '192.0.2.2' };

/** Milliseconds since the epoch at which the clock of the server stands. */
export const NOW = 1_700_000_000_000;

const STOPPED: Clock = { now: () => NOW, monotonic: () => 0, setTimeout: (run) => ({ run, dueAt: 0 }) as ReturnType<Clock['setTimeout']>, clearTimeout() {} };
const TABLES = ['kms_object', 'kms_attribute', 'kms_grant', 'kms_policy', 'kms_rewrapping', 'kms_ticket', 'kms_asynchronous'];

export interface FuzzedServer {
  /** As if it had just been started: nothing cached, no streams. */
  fresh(...others: readonly ObjectSource[]): Promise<KeyServer & { readonly cache: ObjectCache }>;
  /** Makes the objects that are there now those that `reset` brings back. */
  keep(): void;
  reset(): void;
  /** Log lines of the level error since the last call. */
  errors(): unknown[];
  /** Every log line since the last call, as text. */
  said(): string;
  end(): Promise<void>;
}

export async function openFuzzedServer(): Promise<FuzzedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fuzz-'));
  const file = join(folder, 'fuzz.db');
  const versions = createVersions();
  const store = await openStore(`sqlite:${file}`, { writer: 'fuzz', clock: STOPPED, cache: { versions, origin: 'fuzz', node: '' } });
  await migrate(store, [{ owner: 'keys', migrations: KEYS_MIGRATIONS }], () => NOW);
  const aside = new DatabaseSync(file, { timeout: 5_000 });
  aside.exec('PRAGMA synchronous = OFF');
  const rows = new ObjectRows(new DataKey('keys', new Uint8Array(32).fill(7), () => NOW), () => NOW);
  const { log, lines } = memoryLog();
  const args = {
    vendorIdentification: 'cosmian',
    jsonNames: 'profile' as const,
    version: '1.2.3',
    privilegedUsers: [],
    quotas: NO_QUOTAS,
    defaultUnwrapType: [],
    algorithms: [],
    maxSealsPerDataKey: 2 ** 28,
  };
  const objectsOf = (others: readonly ObjectSource[]) => {
    const cache = new ObjectCache(rows, store, versions);
    return { cache, objects: new ObjectRouter(databaseObjects({ rows, store, cache }), [...others, unconfiguredHsm]) };
  };
  return {
    fresh: async (...others) => ({
      operations: OPERATIONS,
      args,
      log,
      requestId: () => 'a request',
      now: () => NOW,
      monotonic: () => NOW,
      store,
      rows,
      ...objectsOf(others),
      keyKinds: [softwareKeys],
      room: new ContentRoom(() => undefined),
      streams: await streamsInProcess(),
      random: new SeededRandom(),
      aside: (work) => work(),
      asynchronous: { clock: STOPPED, limits: ASYNCHRONOUS_LIMITS, runLater, requireHere() {}, apart: (_, work) => work(), acting: (caller) => caller },
      correlations: new CorrelationRate(),
    }),
    keep: () =>
      aside.exec(
        `BEGIN; ${TABLES.map((table) => `DROP TABLE IF EXISTS kept_${table}; CREATE TABLE kept_${table} AS SELECT * FROM ${table};`).join('')} COMMIT`,
      ),
    reset: () =>
      aside.exec(
        `BEGIN; DELETE FROM audit; ${TABLES.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept_${table};`).join('')} COMMIT`,
      ),
    errors: () => lines.filter(({ level }) => level === 'error'),
    said: () => JSON.stringify(lines.splice(0)),
    async end() {
      aside.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The stream actor without a thread of its own. */
async function streamsInProcess() {
  const { api } = await streamActor({}, { clock: STOPPED, report() {} } as unknown as ActorContext);
  const checked = new Proxy(api, {
    get:
      (target, method) =>
      (...parts: unknown[]) => {
        // Between threads only some values can go.
        inspectPayload(parts);
        return Reflect.apply(Reflect.get(target, method) as (...parts: unknown[]) => unknown, target, parts);
      },
  });
  return openStreams({ keys: () => ['0'], about: () => undefined, at: () => checked as Remote<StreamApi> });
}
