// Seals references of before references were sealed, one after the other, and empties the columns that they were in.
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import type { ReferenceKeys } from './reference-keys.ts';
import { HEAD, type Head, insertPassages, type PassageRow } from './rows.ts';
import { sealVectors } from './vector-rows.ts';

/**
 * Call it before anything is read, and only while the database may be of before: what is in clear later was not written by the server. Several nodes
 * may run it at the same time, and again after it was interrupted.
 */
export async function sealStored(store: Store, keys: ReferenceKeys, log: Log): Promise<void> {
  const rows = await store.all<{ id: string }>('SELECT id FROM ai_reference WHERE sealed_key IS NULL');
  for (const { id } of rows) await keys.retrying(store, () => store.transaction((tx) => sealOne(tx, keys, id)));
  if (rows.length > 0) log.info({ references: rows.length }, 'references of an earlier version are sealed now');
}

async function sealOne(tx: Transaction, keys: ReferenceKeys, id: string): Promise<void> {
  const head = await tx.get<Head>('SELECT title, sha256 FROM ai_reference WHERE id = $1 AND sealed_key IS NULL', [id]);
  if (!head) return;
  const { key, sealed } = keys.make(id);
  const sql = `UPDATE ai_reference SET title = '', sha256 = '', generation = $2, sealed_key = $3, sealed = $4 WHERE id = $1 AND sealed_key IS NULL`;
  // Another node was first.
  if ((await tx.run(sql, [id, sealed.generation, sealed.bytes, key.sealValue(HEAD, { title: head.title, sha256: head.sha256 })])) === 0) return;
  const clear = await tx.all<PassageRow>('SELECT reference_id, ordinal, chapter, page, text FROM ai_passage WHERE reference_id = $1 ORDER BY ordinal', [id]);
  await tx.run('DELETE FROM ai_passage WHERE reference_id = $1', [id]);
  const kept = clear.map(({ text, chapter, page }) => ({ text, ...(chapter !== '' && { chapter }), ...(page !== 0 && { page }) }));
  await insertPassages(tx, key, id, kept);
  await sealVectors(tx, key, id);
}
