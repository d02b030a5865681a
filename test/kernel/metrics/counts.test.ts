// Counts look in /metrics as those of prom-client, and count for the same labels once.
import assert from 'node:assert/strict';
import { Counter, Registry } from 'prom-client';
import { test } from 'uvu';
import { Counts } from '../../../kernel/metrics/counts.ts';

const ABOUT = { name: 'made_total', help: 'What was made', labelNames: ['kind', 'outcome'] };

test('the text is that of prom-client', async () => {
  const [own, theirs] = [new Registry(), new Registry()];
  const counts = new Counts(own, ABOUT.name, ABOUT.help, ABOUT.labelNames);
  const counter = new Counter({ ...ABOUT, registers: [theirs] });
  for (const [kind, outcome, times] of [
    ['cup', 'whole', 3],
    ['cup', 'a "crack"\n', 1],
    ['jug', 'whole', 2],
  ] as const)
    for (let time = 0; time < times; time += 1) {
      counts.row(kind, outcome).value += 1;
      counter.inc({ kind, outcome });
    }
  assert.equal(await own.metrics(), await theirs.metrics());
});

test('the same labels are the same row', () => {
  const counts = new Counts(new Registry(), ABOUT.name, ABOUT.help, ABOUT.labelNames);
  assert.equal(counts.row('cup', 'whole'), counts.row('cup', 'whole'));
  assert.notEqual(counts.row('cup', 'whole'), counts.row('whole', 'cup'));
});

test.run();
