// What servers of others say of models and answer for them: JSON of another form than agreed is told as such, wherever `null` or another type stands in it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import { readChat } from '../../../actors/model/http/chat.ts';
import { readVectors } from '../../../actors/model/http/embeddings.ts';
import { HubError } from '../../../actors/model/hub/hub-error.ts';
import { listingOf } from '../../../actors/model/hub/listing.ts';

const OTHERS = [null, true, 5, 'text', [], {}, [null], { a: null }];

/** @returns copies of the value in which one member or element, or the value itself, is something else */
function* spoiled(value: unknown): Generator<unknown> {
  for (const other of OTHERS) yield other;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value))
    for (const other of spoiled(member)) yield Array.isArray(value) ? Object.assign([...value], { [key]: other }) : { ...value, [key]: other };
}

async function* said(text: string): AsyncIterable<string> {
  yield text;
}

const isTold = (error: unknown) => error instanceof Error && !(error instanceof TypeError);

/** @returns how many were refused; others say as much as is needed */
async function refusals(values: Iterable<unknown>, read: (value: unknown) => Promise<unknown>, isRight = isTold): Promise<number> {
  let count = 0;
  for (const value of values) {
    await read(value).catch((error: unknown) => {
      assert.ok(isRight(error), `${JSON.stringify(value)}: ${error}`);
      count += 1;
    });
  }
  return count;
}

test('the answer of a chat', async () => {
  const chunk = { choices: [{ index: 0, delta: { content: 'A lamp.' }, finish_reason: 'stop' }] };
  const read = (value: unknown) => readChat(said(`data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`), () => {});
  assert.deepEqual(await read(chunk), { text: 'A lamp.', isCut: false });
  assert.ok((await refusals(spoiled(chunk), read)) > 10);
});

test('vectors of texts', async () => {
  const answer = { data: [{ index: 0, embedding: [0.6, 0.8] }] };
  const read = (value: unknown) => readVectors(said(JSON.stringify(value)), 1);
  assert.equal((await read(answer))[0]?.length, 2);
  assert.ok((await refusals(spoiled(answer), read)) > 10);
});

test('the list of the files of a model', async () => {
  const listing = { sha: 'c0ffee'.repeat(7).slice(0, 40), siblings: [{ rfilename: 'config.json', size: 5, lfs: { sha256: 'a'.repeat(64) } }] };
  let answer: unknown = listing;
  const hub = createServer((_, response) => response.end(JSON.stringify(answer))).listen(0, '127.0.0.1');
  await once(hub, 'listening');
  const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  const read = (value: unknown) => {
    answer = value;
    return listingOf({ url, token: '' }, 'a/model', 'main');
  };
  try {
    assert.equal((await read(listing)).files.length, 1);
    assert.ok((await refusals(spoiled(listing), read, (error) => error instanceof HubError)) > 10);
  } finally {
    hub.close().closeAllConnections();
  }
});

test.run();
