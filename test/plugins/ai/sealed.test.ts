// What references say is sealed in the database: new ones at once, those of an earlier version at the next start, and what somebody else has written is not believed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { postgresDatabase } from '../../database.ts';
import { writeModel } from '../../models/build.ts';
import { startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { epub, form } from './files.ts';
import { HARBOUR } from './harbour.ts';

const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const CONFIG = `[ai]\nopen = true\n[[ai.models]]\nid = "embedder"\ntask = "embedding"\nfolder = "${writeModel('embedder', folder)}"\n`;

let server: TestServer;
const start = async () => {
  server = await startServer({ config: CONFIG, dataDir });
};
test.before(start);
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

test('a reference of an earlier version is sealed at the next start, with its vectors', async () => {
  await server.end();
  await inStore((store) =>
    store.transaction(async (tx) => {
      for (const table of ['ai_reference', 'ai_passage', 'ai_vectors']) await tx.run(`DELETE FROM ${table}`);
      const reference =
        "INSERT INTO ai_reference (id, base, name, kind, title, sha256, added_at, embedder) VALUES ('old', 'documents', 'old', 'epub', $1, $2, 0, $3)";
      await tx.run(reference, ['Annals of Kerlouan', createHash('sha256').update('old').digest('hex'), '']);
      const passage = "INSERT INTO ai_passage (reference_id, ordinal, chapter, page, text) VALUES ('old', $1, $2, 0, $3)";
      await tx.run(passage, [0, 'The Watchman', 'The watchman of the harbour is called Elias Brandt.']);
      await tx.run(passage, [1, 'The Storm', 'In March 1911 a storm broke the mole.']);
      const clear = "INSERT INTO ai_vectors (reference_id, ordinal, embedder, windows, vectors) VALUES ('old', 0, 'other', $1, $2)";
      await tx.run(clear, [new Uint8Array([1, 0]), new Uint8Array(Float32Array.of(1, 0).buffer)]);
    }),
  );
  await start();
  assert.deepEqual((await server.ask('GET', '/documentary_bases')).body, { documentary_bases: { documents: ['old'] } });
  await until(async () => (await rowsOf('ai_reference')).every((row) => row['sealed_key'] !== null));
  await embedded();
  await assertSealed(Buffer.from('old'));
  await assertFound();
  const { body } = await post('/rag_predict', { db: 'documents', query: 'When did the storm break the mole?', sources: 'true', ranking: 'words' });
  assert.deepEqual(body.sources[0], { reference: 'old', chapter: 'The Storm', text: 'In March 1911 a storm broke the mole.', score: body.sources[0].score });
});

test('sealed bytes in another place, or changed ones, are not shown, and the audit log tells of them', async () => {
  await server.end();
  await inStore((store) =>
    store.transaction(async (tx) => {
      await tx.run("UPDATE ai_passage SET sealed = (SELECT sealed FROM ai_passage WHERE reference_id = 'old' AND ordinal = 1) WHERE ordinal = 0");
      await tx.run("UPDATE ai_reference SET sealed = (SELECT sealed FROM ai_passage WHERE reference_id = 'old' AND ordinal = 1)");
    }),
  );
  await start();
  assert.deepEqual(await chapters('Who is the watchman?', 'words'), []);
  assert.deepEqual(await chapters('When did the storm break the mole?', 'words'), ['The Storm']);
  const forged = () => inStore((store) => store.all<Row>("SELECT target, reason FROM audit WHERE event = 'reference.forged'"));
  await until(async () => (await forged()).length > 0);
  assert.equal((await forged())[0]?.['target'], 'old');
});

test.run();
