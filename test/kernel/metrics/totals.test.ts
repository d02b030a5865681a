// The sums of metrics over threads: they add up once, and no counter falls when a thread ends.
import assert from 'node:assert/strict';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { test } from 'uvu';
import { figuresOf, Totals } from '../../../kernel/metrics/totals.ts';

function thread() {
  const registry = new Registry();
  const labelNames = ['outcome'];
  return {
    registry,
    logins: new Counter({ name: 'logins_total', help: 'logins', labelNames, registers: [registry] }),
    depth: new Gauge({ name: 'depth', help: 'waiting calls', registers: [registry] }),
    duration: new Histogram({ name: 'duration_seconds', help: 'duration', buckets: [1, 2], registers: [registry] }),
  };
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('counters, gauges and histograms are the sums of all threads', async () => {
  const [one, other] = [thread(), thread()];
  one.logins.inc({ outcome: 'success' }, 2);
  other.logins.inc({ outcome: 'success' }, 3);
  other.logins.inc({ outcome: 'refused' });
  one.depth.set(4);
  other.depth.set(5);
  one.duration.observe(0.5);
  other.duration.observe(1.5);
  const totals = new Totals();
  totals.note(1, await figuresOf(other.registry));
  assert.deepEqual(linesOf(await totals.text(await figuresOf(one.registry))).sort(), [
    'depth 9',
    'duration_seconds_bucket{le="+Inf"} 2',
    'duration_seconds_bucket{le="1"} 1',
    'duration_seconds_bucket{le="2"} 2',
    'duration_seconds_count 2',
    'duration_seconds_sum 2',
    'logins_total{outcome="refused"} 1',
    'logins_total{outcome="success"} 5',
  ]);
});

test('what an ended thread counted stays counted, once; what it held is gone', async () => {
  const [own, lost] = [thread(), thread()];
  lost.logins.inc({ outcome: 'success' }, 3);
  lost.depth.set(7);
  const totals = new Totals();
  totals.note(1, await figuresOf(lost.registry));
  await totals.end(1);
  const next = thread();
  next.logins.inc({ outcome: 'success' }, 1);
  totals.note(1, await figuresOf(next.registry));
  await totals.end(1);
  await totals.end(1);
  const lines = linesOf(await totals.text(await figuresOf(own.registry)));
  assert.ok(lines.includes('logins_total{outcome="success"} 4'), lines.join('\n'));
  assert.ok(lines.includes('depth 0'), lines.join('\n'));
});

test('what threads counted that end at the same time stays counted, also in a scrape that comes meanwhile', async () => {
  const [own, one, other] = [thread(), thread(), thread()];
  one.logins.inc({ outcome: 'success' }, 2);
  other.logins.inc({ outcome: 'success' }, 3);
  const totals = new Totals();
  totals.note(1, await figuresOf(one.registry));
  totals.note(2, await figuresOf(other.registry));
  const figures = await figuresOf(own.registry);
  const ends = [totals.end(1), totals.end(2)];
  const meanwhile = linesOf(await totals.text(figures));
  await Promise.all(ends);
  const after = linesOf(await totals.text(figures));
  for (const lines of [meanwhile, after]) assert.ok(lines.includes('logins_total{outcome="success"} 5'), lines.join('\n'));
});

test.run();
