// What references say is sealed in the database: new ones at once, those of an earlier version at the next start, and what somebody else has written is not believed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store, Transaction } from '../../../kernel/store/store.ts';
import { postgresDatabase } from '../../database.ts';
import { writeModel } from '../../models/build.ts';
import { startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { epub, form } from './files.ts';
import { HARBOUR } from './harbour.ts';

const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const OPEN = '[ai]\nopen = true\n';
const CONFIG = `${OPEN}[[ai.models]]\nid = "embedder"\ntask = "embedding"\nfolder = "${writeModel('embedder', folder)}"\n`;

let server: TestServer;
const start = async (config = CONFIG) => {
  server = await startServer({ config, dataDir });
};
test.before(() => start());
test.after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore((await postgresDatabase(dataDir)) ?? `sqlite:${join(dataDir, 'gatehouse.db')}`, { writer: 'test', clock: createClock() });
  return work(store).finally(() => store.close());
}

const rowsOf = (table: 'ai_reference' | 'ai_passage' | 'ai_vectors') => inStore((store) => store.all<Row>(`SELECT * FROM ${table} ORDER BY 1, 2`));
/** All bytes of the tables, one after the other. */
const stored = async () => {
  const rows = [...(await rowsOf('ai_reference')), ...(await rowsOf('ai_passage')), ...(await rowsOf('ai_vectors'))];
  return Buffer.concat(rows.flatMap((row) => Object.values(row).map((value) => Buffer.from(typeof value === 'number' ? String(value) : (value ?? '')))));
};
const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, await form(...given));
const chapters = async (query: string, ranking: string) =>
  ((await post('/rag_predict', { db: 'documents', query, sources: 'true', ranking })).body.sources as { chapter?: string }[]).map(({ chapter }) => chapter);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('it never came');
}
const embedded = () => until(async () => (await server.ask('GET', '/models')).body.embedding.waiting === 0);

async function assertFound(): Promise<void> {
  assert.equal((await chapters('Who is the watchman?', 'words'))[0], 'The Watchman');
  assert.equal((await chapters('Which warden of the port?', 'vectors'))[0], 'The Watchman');
}

/** Neither texts nor titles, nor the digest that tells which file it is, nor vectors. */
async function assertSealed(file: Uint8Array): Promise<void> {
  const bytes = await stored();
  for (const text of ['Elias Brandt', 'The Watchman', 'Annals of Kerlouan', createHash('sha256').update(file).digest('hex')])
    assert.ok(!bytes.includes(text), `${text} is in the database`);
  assert.ok((await rowsOf('ai_vectors')).every((row) => row['is_sealed'] === 1));
}

test('a new reference is sealed, found by words and by vectors, and after a restart', async () => {
  const bytes = await epub(HARBOUR, { title: 'Annals of Kerlouan' });
  assert.equal((await post('/add_reference', { db: 'documents', reference: 'harbour' }, { name: 'a.epub', bytes })).status, 200);
  await embedded();
  await assertSealed(bytes);
  await assertFound();
  await server.end();
  await start();
  await assertFound();
  assert.equal((await rowsOf('ai_passage')).length > 1, true);
});

/** A reference as it was before references were sealed. */
async function insertClear(tx: Transaction, id: string, passages: readonly (readonly [chapter: string, text: string])[], embedder = ''): Promise<void> {
  const reference =
    "INSERT INTO ai_reference (id, base, name, kind, title, sha256, added_at, embedder) VALUES ($1, 'documents', $1, 'epub', 'Annals of Kerlouan', $2, 0, $3)";
  await tx.run(reference, [id, createHash('sha256').update(id).digest('hex'), embedder]);
  for (const [ordinal, [chapter, text]] of passages.entries())
    await tx.run('INSERT INTO ai_passage (reference_id, ordinal, chapter, page, text) VALUES ($1, $2, $3, 0, $4)', [id, ordinal, chapter, text]);
  const vectors = 'INSERT INTO ai_vectors (reference_id, ordinal, embedder, windows, vectors) VALUES ($1, 0, $2, $3, $4)';
  await tx.run(vectors, [id, embedder || 'other', new Uint8Array([1, 0]), new Uint8Array(new Float32Array(64).fill(1 / 8).buffer)]);
}

const WATCHMAN = ['The Watchman', 'The watchman of the harbour is called Elias Brandt.'] as const;
const STORM = ['The Storm', 'In March 1911 a storm broke the mole.'] as const;
const recorded = () =>
  inStore((store) => store.all<Row>("SELECT target FROM audit WHERE event = 'server.rows_authenticated' AND target = 'documents' AND outcome = 'success'"));

test('references of a database of before are sealed after the start, by itself, with their vectors', async () => {
  await server.end();
  await inStore((store) =>
    store.transaction(async (tx) => {
      for (const table of ['ai_reference', 'ai_passage', 'ai_vectors']) await tx.run(`DELETE FROM ${table}`);
      for (const table of ['data_key', 'data_key_generation']) await tx.run(`DELETE FROM ${table} WHERE purpose = 'documents'`);
      await tx.run("DELETE FROM migration WHERE owner = 'model' AND id > 2");
      const added = [
        'ai_reference.generation',
        'ai_reference.sealed_key',
        'ai_reference.sealed',
        'ai_passage.sealed',
        'ai_vectors.is_sealed',
        'ai_base.on_request',
      ];
      for (const [table, column] of added.map((each) => each.split('.'))) await tx.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
      await insertClear(tx, 'old', [WATCHMAN, STORM]);
    }),
  );
  // Without an embedder nothing but a request would start the library.
  await start(OPEN);
  await until(async () => (await recorded()).length === 1);
  await assertSealed(Buffer.from('old'));
  await server.end();
  await start();
  assert.deepEqual((await server.ask('GET', '/documentary_bases')).body, { documentary_bases: { documents: ['old'] } });
  await embedded();
  await assertSealed(Buffer.from('old'));
  await assertFound();
  const { body } = await post('/rag_predict', { db: 'documents', query: 'When did the storm break the mole?', sources: 'true', ranking: 'words' });
  assert.deepEqual(body.sources[0], { reference: 'old', chapter: STORM[0], text: STORM[1], score: body.sources[0].score });
});

test('from then on rows in clear, sealed ones in another place too, are no answer; the audit log tells', async () => {
  await server.end();
  const [{ embedder } = {}] = await rowsOf('ai_reference');
  await inStore((store) =>
    store.transaction(async (tx) => {
      await insertClear(tx, 'forged', [['The Watchman', 'The watchman of the harbour is called Mallory.']], String(embedder));
      await tx.run("INSERT INTO ai_passage (reference_id, ordinal, chapter, page, text) VALUES ('old', 2, 'The Watchman', 0, 'Mallory is the watchman.')");
      await tx.run("UPDATE ai_vectors SET vectors = $1, is_sealed = 0 WHERE reference_id = 'old'", [new Uint8Array(517).fill(62)]);
      await tx.run("UPDATE ai_passage SET sealed = (SELECT sealed FROM ai_passage WHERE reference_id = 'old' AND ordinal = 1) WHERE ordinal = 0");
      await tx.run("UPDATE ai_reference SET sealed = (SELECT sealed FROM ai_passage WHERE reference_id = 'old' AND ordinal = 1) WHERE id = 'old'");
    }),
  );
  await start();
  for (const ranking of ['words', 'vectors', 'fused']) {
    const { status, body } = await post('/rag_predict', { db: 'documents', query: 'Who is the watchman of the harbour?', sources: 'true', ranking });
    assert.deepEqual([status, /Mallory|Brandt/.test(JSON.stringify(body))], [200, false], ranking);
  }
  assert.deepEqual(await chapters('Who is the watchman?', 'words'), []);
  assert.deepEqual(await chapters('When did the storm break the mole?', 'words'), ['The Storm']);
  assert.equal((await server.ask('GET', '/models')).body.embedding.waiting, 0);
  const forged = () => inStore((store) => store.all<Row>("SELECT target FROM audit WHERE event = 'reference.forged' ORDER BY target"));
  await until(async () => (await forged()).length === 2);
  assert.deepEqual(
    (await forged()).map(({ target }) => target),
    ['forged', 'old'],
  );
  assert.equal((await recorded()).length, 1);
});

test.run();
