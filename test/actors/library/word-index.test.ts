// What removed passages take is freed while others are searched and added, and again after that.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import { BaseIndex } from '../../../actors/library/base-index.ts';

const WORDS = 20_000;
const PASSAGES = 200;

/** Of letters only, and without an ending: such a word is one term. */
const wordOf = (id: string, number: number) => `${id}${number.toString(8).replaceAll(/./g, (digit) => 'bcdfghjk'[Number(digit)] as string)}q`;

/** Each word is in one passage. */
async function addTo(index: BaseIndex, id: string): Promise<void> {
  const texts = Array.from({ length: PASSAGES }, (_, at) =>
    Array.from({ length: WORDS / PASSAGES }, (_, word) => wordOf(id, at * (WORDS / PASSAGES) + word)).join(' '),
  );
  await index.add(
    id,
    id,
    '',
    texts.map((text, ordinal) => ({ reference_id: id, ordinal, text, chapter: '', page: 0 })),
  );
}

test('the words of removed references are freed while others are searched, added and removed', async () => {
  const index = new BaseIndex();
  await addTo(index, 'kept');
  const kept = index.words;
  for (const id of ['left', 'more', 'last']) await addTo(index, id);
  for (const id of ['left', 'more']) {
    index.remove(id);
    let cleared = false;
    const clearing = index.clear().then(() => {
      cleared = true;
    });
    for (let at = 0; !cleared && at < WORDS; at += 7) {
      // A search takes what it meets of removed passages out of the index, and with it branches of its tree.
      for (let word = at; word < at + 40; word++) assert.deepEqual(await index.search(wordOf(id, word), 1), []);
      if (at === 70) await addTo(index, `new${id}`);
      await turn();
    }
    await clearing;
  }
  for (const id of ['last', 'newleft', 'newmore']) index.remove(id);
  await index.clear();
  assert.equal(index.words, kept);
  assert.equal((await index.search(wordOf('kept', 7), 1))[0]?.reference, 'kept');
});

test('a question as long as a text is found by its rarest words, in the memory that a short one takes', async () => {
  const index = new BaseIndex();
  const passages = Array.from({ length: 3_000 }, (_, ordinal) => `common words of all passages, and ${wordOf('own', ordinal)}`);
  await index.add(
    'manual',
    'manual',
    '',
    passages.map((text, ordinal) => ({ reference_id: 'manual', ordinal, text, chapter: '', page: 0 })),
  );
  const long = `${'common words of all passages '.repeat(100_000)} ${wordOf('own', 1_234)}`;
  assert.equal((await index.search(long, 1))[0]?.ordinal, 1_234);
  // A question of common words alone still finds passages.
  assert.equal((await index.search('common words '.repeat(200_000), 5)).length, 5);
});

test('while a large reference is added, others have their turn', async () => {
  const index = new BaseIndex();
  let isAdded = false;
  const adding = addTo(index, 'large').then(() => {
    isAdded = true;
  });
  await turn();
  assert.equal(isAdded, false);
  assert.equal((await index.search(wordOf('large', 7), 1))[0]?.reference, 'large');
  await adding;
  assert.equal((await index.search(wordOf('large', WORDS - 1), 1))[0]?.reference, 'large');
});

test('while a question as long as a text is read, others have their turn', async () => {
  const index = new BaseIndex();
  await addTo(index, 'kept');
  let isFound = false;
  const found = index.search(`${'some other words '.repeat(100_000)} ${wordOf('kept', 7)}`, 1).finally(() => {
    isFound = true;
  });
  assert.equal((await index.search(wordOf('kept', 9), 1))[0]?.reference, 'kept');
  assert.equal(isFound, false);
  assert.equal((await found)[0]?.reference, 'kept');
});

test.run();
