// Refusals of the key server beside its callers: the actor is told of them and writes their audit rows. All other writes are left to it, with the whole call.
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';
import { leaveWrite } from './leave.ts';

/** For calls that must not be made a second time because they end in a refusal: a token was asked. @param tell settles when the rows are written */
export function tellingStore(reader: Reader, tell: (rows: readonly AuditEvent[]) => Promise<void>): Store {
  const rest = { get: leaveWrite, all: leaveWrite, run: leaveWrite, exec: leaveWrite, touch: leaveWrite, touchAll: leaveWrite };
  return {
    dialect: 'sqlite',
    get: (sql, params) => reader.get(sql, params),
    all: (sql, params) => reader.all(sql, params),
    close: async () => {},
    async transaction(work) {
      const rows: AuditEvent[] = [];
      const result = await work({ ...rest, audit: async (row) => void rows.push(row) });
      await tell(rows);
      return result;
    },
  };
}

/** In the actor. @throws Error for a row that is none of a refused use of a key */
export async function writeRefusals({ store }: { readonly store: Store }, rows: readonly AuditEvent[]): Promise<void> {
  const other = rows.find(({ event, outcome }) => outcome === 'success' || !event.startsWith('key.'));
  if (other) throw new Error(`${other.event} is not a refused use of a key`);
  await store.transaction(async (tx) => {
    for (const row of rows) await tx.audit(row);
  });
}
