// Quotas of the key server: objects and their total bytes for each owner and each realm, and grants for each owner.
import type { Reader } from '../../../kernel/store/store.ts';
import { overQuota, type Quota } from '../../../kernel/store/usage.ts';

/** Named by the keys of the configuration; 0 means unlimited. A cluster role counts as a realm. */
export interface KeyQuotas {
  readonly objects_per_identity: number;
  /** Counts sealed contents and attributes. */
  readonly object_bytes_per_identity: number;
  readonly objects_per_realm: number;
  readonly object_bytes_per_realm: number;
  readonly grants_per_identity: number;
}

export const NO_QUOTAS: KeyQuotas = {
  objects_per_identity: 0,
  object_bytes_per_identity: 0,
  objects_per_realm: 0,
  object_bytes_per_realm: 0,
  grants_per_identity: 0,
};

/** The kinds that the database counts. The scope of the realm kinds is the prefix of the owners' identities. */
const OF_OBJECTS: Readonly<Partial<Record<keyof KeyQuotas, string>>> = {
  objects_per_identity: 'object',
  object_bytes_per_identity: 'object_bytes',
  objects_per_realm: 'realm_object',
  object_bytes_per_realm: 'realm_object_bytes',
};
const OF_GRANTS: Readonly<Partial<Record<keyof KeyQuotas, string>>> = { grants_per_identity: 'grant' };
/** All kinds in one query, because it runs for each new object. */
const AMOUNTS = 'SELECT kind, amount FROM kms_usage WHERE kind IN ($1, $2, $3, $4, $5) AND scope IN ($6, $7)';
/** Room that was taken in advance is in the amounts. Asked only where they exceed a quota: whoever reads it conflicts with all who create for this owner. */
const ROOM = 'SELECT kind, SUM(room) AS amount FROM kms_usage_room WHERE kind IN ($1, $2, $3, $4, $5) AND scope IN ($6, $7) GROUP BY kind';
const KINDS = [...Object.values(OF_OBJECTS), ...Object.values(OF_GRANTS)];

/**
 * Names the quota that is exceeded, including what this transaction has added; undefined if there is none.
 * Existing objects and grants stay, even above the quota.
 */
export async function quotaProblem(from: Reader, quotas: KeyQuotas, owner: string, what: 'objects' | 'grants'): Promise<string | undefined> {
  const held = Object.entries(what === 'objects' ? OF_OBJECTS : OF_GRANTS).map(([name, kind]): Quota => {
    return { usage: 'kms_usage', kind, name: `[keys.quotas] ${name}`, most: quotas[name as keyof KeyQuotas] };
  });
  if (held.every(({ most }) => most === 0)) return undefined;
  const of = async (sql: string) => new Map((await from.all<Amount>(sql, [...KINDS, owner, scopeOf(owner)])).map(({ kind, amount }) => [kind, Number(amount)]));
  const amounts = await of(AMOUNTS);
  const beyond = held.filter(({ kind, most }) => most > 0 && (amounts.get(kind) ?? 0) > most);
  if (beyond.length === 0) return undefined;
  const room = await of(ROOM);
  const over = beyond.find(({ kind, most }) => (amounts.get(kind) ?? 0) - (room.get(kind) ?? 0) > most);
  return over && overQuota(over, over.kind.startsWith('realm') ? 'a realm' : 'an owner');
}

interface Amount {
  readonly kind: string;
  readonly amount: number | string;
}

/** The realm or cluster role with its trailing slash; empty for identities without one. */
function scopeOf(owner: string): string {
  return owner.startsWith('jwt:') || owner.startsWith('idp:') ? '' : owner.slice(0, owner.indexOf('/') + 1);
}
