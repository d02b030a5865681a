// Vectors in the background, over a store of its own and an embedder that the test decides: what is interrupted goes on, and what ends the embedder is left out.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { Embedder, type EmbeddingModel } from '../../../actors/library/embedder.ts';
import { Embedding } from '../../../actors/library/embedding.ts';
import { Indexes } from '../../../actors/library/indexes.ts';
import { ReferenceKeys } from '../../../actors/library/reference-keys.ts';
import { insertReference, touchBase } from '../../../actors/library/rows.ts';
import { addVectors, vectorsOf } from '../../../actors/library/vector-rows.ts';
import { createClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { DataKey } from '../../../kernel/keys/data-key.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { AI_MIGRATIONS } from '../../../plugins/ai/migrations.ts';
import { memoryLog } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
const clock = createClock();
const stopping = new AbortController();
const keys = new ReferenceKeys(new DataKey('documents', new Uint8Array(randomBytes(32)), clock.now), () => assert.fail('a row was not written by the server'));
let store: Store;
let asked: string[] = [];
let name = 'a@1';

/** One number for each text: its length. A text with `poison` ends the process. */
const model: EmbeddingModel = {
  revision: async () => name,
  async embed(_id, texts) {
    asked.push(...texts);
    if (texts.some((text) => text.includes('poison'))) throw new Fault('ACTOR_LOST');
    if (texts.some((text) => text.includes('unfit'))) throw new Fault('MODEL_FAILED');
    return { embedder: name, dimensions: 1, windows: texts.map(() => 1), vectors: Float32Array.from(texts, (text) => text.length) };
  },
};
let embedding: Embedding;

test.before(async () => {
  store = await openStore(`sqlite:${join(folder, 'test.db')}`, { writer: 'test', clock });
  await migrate(store, [{ owner: 'model', migrations: AI_MIGRATIONS }], clock.now);
  embedding = new Embedding({ store, keys, embedder: new Embedder('a', () => model), clock, log: memoryLog().log, signal: stopping.signal });
});
test.after(async () => {
  stopping.abort();
  await embedding?.stop();
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

const add = (id: string, texts: readonly string[]) =>
  keys.retrying(store, () =>
    store.transaction(async (tx) => {
      await touchBase(tx, 'b', 0);
      const passages = texts.map((text) => ({ text }));
      await insertReference(tx, keys, id, { base: 'b', name: id, kind: 'docx', title: '', sha256: '', passages }, 0);
    }),
  );

async function until(waiting: number): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if ((await embedding.status()).waiting === waiting) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`${(await embedding.status()).waiting} wait, not ${waiting}`);
}

function pass(ms: number): void {
  Atomics.add(clock.offset, 0, BigInt(ms));
  clock.fireDue();
}

test('what has vectors is not asked again, and begins where it was interrupted', async () => {
  const texts = Array.from({ length: 70 }, (_, index) => 'x'.repeat(index + 1));
  await add('long', texts);
  embedding.wake();
  await until(0);
  assert.deepEqual(asked, texts);
  const { windows, vectors } = await vectorsOf(store, keys, 'long', 'a@1');
  assert.deepEqual([windows.length, [...vectors]], [70, texts.map(({ length }) => length)]);
  // As a stop leaves it between two rows.
  await store.transaction(async (tx) => {
    await tx.run("UPDATE ai_reference SET embedder = '' WHERE id = 'long'");
    await tx.run("DELETE FROM ai_vectors WHERE reference_id = 'long' AND ordinal = 64");
  });
  asked = [];
  embedding.wake();
  await until(0);
  assert.deepEqual(asked, texts.slice(64));
  assert.equal((await vectorsOf(store, keys, 'long', 'a@1')).windows.length, 70);
});

test('a reference that ends the embedder is left out after two attempts; the others get their vectors', async () => {
  await add('bad', ['poison']);
  await add('good', ['a text']);
  asked = [];
  embedding.wake();
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    pass(11_000);
  }
  await until(1);
  assert.equal(asked.filter((text) => text === 'poison').length, 2);
  assert.equal((await vectorsOf(store, keys, 'good', 'a@1')).windows.length, 1);
});

test('what another node has left is taken up, but not what it works on', async () => {
  const look = async () => {
    pass(61_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const had = async () => (await vectorsOf(store, keys, 'left', name)).windows.length;
  await add(
    'left',
    Array.from({ length: 40 }, () => 'left'),
  );
  await look();
  // As the other node adds its first row.
  const one = { windows: Array(32).fill(1), vectors: new Float32Array(32) };
  await store.transaction((tx) => addVectors(tx, keys, 'left', 0, name, one, false));
  await look();
  assert.equal(await had(), 32);
  asked = [];
  await look();
  await until(1);
  assert.deepEqual([await had(), asked.length], [40, 8]);
});

test('a reference that the embedder refuses is tried after the others, and keeps none waiting', async () => {
  const once = async () => {
    embedding.wake();
    await embedding.stop();
  };
  const names = Array.from({ length: 9 }, (_, at) => `${at}`);
  for (const id of names) await add(`unfit ${id}`, [`unfit ${id}`]);
  for (const _ of names) await once();
  for (const id of names) await add(`sound ${id}`, [`sound ${id}`]);
  await once();
  for (const id of names) assert.equal((await vectorsOf(store, keys, `sound ${id}`, 'a@1')).windows.length, 1, id);
  await store.transaction((tx) => tx.run("DELETE FROM ai_reference WHERE id LIKE 'unfit%'"));
});

test('another embedder makes all vectors anew, and those of the old one are gone', async () => {
  // As an older version may have divided the passages into rows.
  await store.transaction((tx) =>
    tx.run(
      "INSERT INTO ai_vectors (reference_id, ordinal, embedder, windows, vectors) SELECT 'long', 50, embedder, windows, vectors FROM ai_vectors WHERE reference_id = 'long' AND ordinal = 0",
    ),
  );
  name = 'a@2';
  embedding.wake();
  await until(1);
  const rows = await store.all<{ embedder: string }>('SELECT DISTINCT embedder FROM ai_vectors');
  assert.deepEqual(
    rows.map(({ embedder }) => embedder),
    ['a@2'],
  );
});

test('whoever is added while it looks for the last time is not forgotten, at whatever moment', async () => {
  let looks = 0;
  let then: (() => void) | undefined;
  const revision = async () => {
    looks += 1;
    return name;
  };
  const counting: EmbeddingModel = { ...model, revision };
  const all: Store['all'] = async () => {
    then?.();
    return [];
  };
  const parts = { store: { all } as Store, keys, clock, log: memoryLog().log, signal: stopping.signal };
  const other = new Embedding({ ...parts, embedder: new Embedder('a', () => counting) });
  for (let turns = 0; turns < 12; turns += 1) {
    looks = 0;
    const woken = new Promise<void>((resolve) => {
      then = async () => {
        then = undefined;
        for (let turn = 0; turn < turns; turn += 1) await undefined;
        other.wake();
        resolve();
      };
    });
    other.wake();
    await woken;
    await other.stop();
    assert.equal(looks, 2, `after ${turns} turns`);
  }
});

test('an index opens what is new, and nothing again that it has', async () => {
  const opened: string[] = [];
  const noted = new (class extends ReferenceKeys {
    override of(...[from, reference]: Parameters<ReferenceKeys['of']>) {
      opened.push(reference);
      return keys.of(from, reference);
    }
  })(new DataKey('documents', new Uint8Array(randomBytes(32)), clock.now), () => assert.fail('nothing is made with it'));
  const indexes = new Indexes({ store, keys: noted, log: memoryLog().log, maxBytes: Number.POSITIVE_INFINITY });
  const { size } = (await indexes.fresh('b')).references;
  assert.equal(new Set(opened).size, size);
  opened.length = 0;
  await add('later', ['one more']);
  assert.equal((await indexes.fresh('b')).references.size, size + 1);
  assert.deepEqual(new Set(opened), new Set(['later']));
});

test('an index keeps its vectors when a question needs none, and gets those that it could not read', async () => {
  let [reads, fails] = [0, false];
  const all: Store['all'] = (sql, params) => {
    if (!sql.includes('FROM ai_vectors')) return store.all(sql, params);
    reads += 1;
    return fails ? Promise.reject(new Fault('UNAVAILABLE')) : store.all(sql, params);
  };
  const failing = { ...store, get: store.get.bind(store), all };
  const indexes = new Indexes({ store: failing, keys, log: memoryLog().log, maxBytes: Number.POSITIVE_INFINITY });
  await indexes.fresh('b');
  fails = true;
  await assert.rejects(indexes.fresh('b', name));
  fails = false;
  const { size } = (await indexes.fresh('b', name)).vectors;
  assert.ok(size > 9, `${size} references have vectors`);
  reads = 0;
  for (const embedder of [undefined, name, undefined]) assert.equal((await indexes.fresh('b', embedder)).vectors.size, size);
  assert.equal(reads, 0);
});

test.run();
