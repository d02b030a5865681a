// Opens the part of an actor that lives beside its callers, with everything such a part may use.
import type { Api, BesideContext } from '../actor.ts';
import { callContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import type { DataKeyPurpose } from '../data-key-row.ts';
import { describe } from '../fault.ts';
import type { Log, LogLevel } from '../log-entry.ts';
import { hashOf, type Versions } from '../versions.ts';
import { Beside } from './beside.ts';
import type { StoreAddress } from './incarnation.ts';
import { remoteOver } from './lane.ts';
import type { Group } from './runtime.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly versions: Versions;
  readonly log: Log;
  readonly store: StoreAddress;
  readonly node: string;
  dataKey(purpose: DataKeyPurpose): Promise<Uint8Array> | Uint8Array;
  readonly isCopying?: boolean;
}

const SQLITE = 'sqlite:';

/** @returns it, for the stop; nothing where the actor has no such part, or it cannot start: then every call goes to the actor, slower and as right */
export async function openBeside(group: Group, surroundings: Surroundings): Promise<Beside[]> {
  const { name, spec, lanes, observe } = group;
  const { log, store, isCopying = false } = surroundings;
  // Rows that other processes write cannot be trusted without asking the database: that wait belongs to the actor.
  if (!spec.beside || spec.kind === 'pinned' || !store.url.startsWith(SQLITE)) return [];
  try {
    const context = await contextOf(group, surroundings);
    const beside = await Beside.open(spec.beside, spec.args, { isCopying, observe, context });
    for (const lane of lanes) lane.beside = beside;
    return [beside];
  } catch (error) {
    log.error({ actor: name, error: describe(error) }, 'nothing of this actor runs beside its callers');
    return [];
  }
}

async function contextOf({ name, spec, lanes }: Group, { clock, versions, node, log, store, dataKey }: Surroundings): Promise<BesideContext<Api>> {
  const dataKeys = new Map<DataKeyPurpose, Uint8Array>();
  for (const purpose of spec.dataKeys ?? []) dataKeys.set(purpose, await dataKey(purpose));
  const remotes = lanes.map((lane) => remoteOver<Api>({ call: (...call) => lane.cross(...call) }));
  return {
    node,
    clock,
    versions,
    log: logOf(log, name),
    requestId: () => callContext.getStore()?.requestId,
    dataKey: (purpose) => dataKeys.get(purpose) as Uint8Array,
    own: (key) => remotes[hashOf(key) % remotes.length] as (typeof remotes)[number],
    async openReader() {
      const { openSqliteReader } = await import('../store/sqlite.ts');
      return openSqliteReader(store.url.slice(SQLITE.length));
    },
  };
}

function logOf(log: Log, actor: string): Log {
  const at = (level: LogLevel) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    log[level]({ actor, key: 'beside', ...fields, request_id: callContext.getStore()?.requestId }, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
