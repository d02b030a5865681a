// What a run of a foreign client comes to, held on made-up clients.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { ForeignClient } from './client.ts';
import { outcomeOf } from './tour.ts';
import { verdictOf } from './verdict.ts';

const CLIENT: ForeignClient = { name: 'made-up', prepare: async () => undefined, run: async () => ({ passed: 2, problems: [] }) };

test('a client whose steps went as they should fits', async () => {
  assert.deepEqual(await verdictOf(CLIENT, ''), { fits: true, summary: '2 passed, 0 failed', problems: [] });
});

test('a client that cannot run here is skipped, and is not run', async () => {
  const client = { ...CLIENT, prepare: async () => 'go is not here', run: () => Promise.reject(new Error('ran')) };
  assert.deepEqual(await verdictOf(client, ''), { fits: true, summary: 'skipped, go is not here', problems: [] });
});

test('a step that failed, a run of nothing, and a client that breaks in either part do not fit', async () => {
  const breaks = () => Promise.reject(new Error('it broke'));
  const failed = await verdictOf({ ...CLIENT, run: async () => ({ passed: 1, problems: ['lookup: 403'] }) }, '');
  assert.deepEqual(failed, { fits: false, summary: '1 passed, 1 failed', problems: ['lookup: 403'] });
  assert.equal((await verdictOf({ ...CLIENT, run: async () => ({ passed: 0, problems: [] }) }, '')).fits, false);
  for (const client of [
    { ...CLIENT, prepare: breaks },
    { ...CLIENT, run: breaks },
  ]) {
    const { fits, problems } = await verdictOf(client, '');
    assert.equal(fits, false);
    assert.match(problems.join(), /it broke/);
  }
});

test('a tour counts its steps, and one that ends early has failed, whatever it printed before', () => {
  const printed = 'ok one\nFAIL two: 403 in place of 200\nok three\n';
  assert.deepEqual(outcomeOf({ status: 0, stdout: `${printed}end\n`, stderr: '' }), { passed: 2, problems: ['two: 403 in place of 200'] });
  for (const output of [
    { status: 0, stdout: 'ok one\n', stderr: 'it broke' },
    { status: 1, stdout: 'ok one\nend\n', stderr: 'it broke' },
    { status: null, stdout: '', stderr: 'it broke' },
  ])
    assert.match(outcomeOf(output).problems.join(), /^it ended early, status .*: it broke$/);
});

test.run();
