// Adds MACs to the rows of earlier versions. Runs once, in batches, at the first start of a version that authenticates rows.
import { Fault } from '../../../../kernel/fault.ts';
import type { Log } from '../../../../kernel/log/log-entry.ts';
import type { Store, Transaction } from '../../../../kernel/store/store.ts';
import { EVERYTHING } from '../grants.ts';
import { contentMark, NO_CONTENT, NO_MARK, newMark, type RowSeal, type SealedGrant, type SealedRow } from './row-seal.ts';

interface BareRow extends SealedRow {
  readonly seq: number;
  readonly nonce: Uint8Array | null;
  readonly tag: Uint8Array | null;
}

/** Maximum number of objects in one transaction. */
const BATCH = 256;
const LOCK = 'gatehouse rows of the key server';
/** Everything that was sealed before has the first generation of the data key. */
const GENERATION = 1;

const BARE = `SELECT seq, id, object_type, state, owner, archived, attributes, substr(content, 1, 12) AS nonce, substr(content, length(content) - 15, 16) AS tag
  FROM kms_object WHERE seal IS NULL AND seq > $1 ORDER BY seq LIMIT ${BATCH}`;

/**
 * Every thread of every node may run it at the same time, and again after a crash: rows with a MAC are skipped. The contents stay
 * sealed as they are, and are checked when they are opened.
 */
export async function adoptRows(store: Store, seals: RowSeal, log: Log): Promise<void> {
  let adopted = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const done = await retryPatiently(() => store.transaction((tx) => adoptObjects(tx, seals, from), { lock: LOCK }));
    adopted += done.objects;
    after = done.last;
  }
  await retryPatiently(() => store.transaction((tx) => adoptGrants(tx, seals, EVERYTHING, NO_MARK), { lock: LOCK }));
  if (adopted > 0) log.info({ objects: adopted }, 'objects of an earlier version are now authenticated');
}

async function adoptObjects(tx: Transaction, seals: RowSeal, after: number): Promise<{ objects: number; last: number | undefined }> {
  const rows = await tx.all<BareRow>(BARE, [after]);
  for (const row of rows) {
    const mark = newMark();
    const content = row.nonce && row.tag ? contentMark(GENERATION, new Uint8Array([...row.nonce, ...row.tag])) : NO_CONTENT;
    await tx.run('UPDATE kms_object SET seal = $2 WHERE id = $1', [row.id, seals.write(row, { content, mark })]);
    await adoptGrants(tx, seals, row.id, mark);
  }
  return { objects: rows.length, last: rows.at(-1)?.seq };
}

async function adoptGrants(tx: Transaction, seals: RowSeal, id: string, mark: Uint8Array): Promise<void> {
  const grants = await tx.all<SealedGrant>('SELECT object_id, user_id, operations FROM kms_grant WHERE object_id = $1 AND mac IS NULL', [id]);
  for (const grant of grants)
    await tx.run('UPDATE kms_grant SET mac = $3 WHERE object_id = $1 AND user_id = $2', [id, grant.user_id, seals.macOfGrant(grant, mark)]);
}

/** Retries for as long as other threads that do the same work hold the lock, each for a moment. */
async function retryPatiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'OVERLOADED') throw error;
    }
  }
}
