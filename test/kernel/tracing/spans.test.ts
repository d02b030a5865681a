// Spans without a server: names of statements, what another process may send, the parent that a caller names, steps of transactions, and the configuration.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'uvu';
import { validate } from '../../../kernel/config/validate.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Store, Transaction } from '../../../kernel/store/store.ts';
import { headersIn, TRACING, tracingProblems } from '../../../kernel/trace-config.ts';
import { readCount, readSpans } from '../../../kernel/tracing/received-spans.ts';
import { currentSpan, type EndedSpan, inSpan, receivedSpan } from '../../../kernel/tracing/span.ts';
import { spanOutbox } from '../../../kernel/tracing/span-outbox.ts';
import { statementName, tracedStore } from '../../../kernel/tracing/traced-store.ts';
import { createTracer } from '../../../kernel/tracing/tracer.ts';

const ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

function tracer(ratio = 1) {
  const spans: EndedSpan[] = [];
  return { spans, tracer: createTracer(ratio, (span) => spans.push(span)) };
}

test('a statement is named by what it does and its first table, and by nothing else', () => {
  for (const [sql, operation, table] of [
    ["SELECT a FROM realm WHERE id = 'secret'", 'SELECT', 'realm'],
    ['  insert INTO session (id) VALUES ($1)', 'INSERT', 'session'],
    ['UPDATE totp SET used = $1', 'UPDATE', 'totp'],
    ['DELETE FROM lockout WHERE at < 12345', 'DELETE', 'lockout'],
    ["/* planned anew */ SELECT a FROM realm WHERE id = 'secret'", 'SELECT', 'realm'],
    ["NOTIFY gatehouse, 'a secret'", 'NOTIFY', ''],
    ["'secret'", 'OTHER', ''],
  ] as const)
    assert.deepEqual(statementName(sql), { operation, table });
});

test('the parent of the caller: taken if it is well formed, otherwise a new trace begins', () => {
  const { spans, tracer: all } = tracer();
  const headers = { traceparent: `00-${ID}-${PARENT}-01`, tracestate: 'a=1,b=2,not valid,=x' };
  const span = all.begin('GET /x', {}, randomUUID(), headers);
  assert.deepEqual(span.headers, { traceparent: `00-${ID}-${span.id}-01`, tracestate: 'a=1,b=2' });
  span.end();
  assert.deepEqual([spans[0]?.traceId, spans[0]?.parentId, spans[0]?.isRemoteParent, spans[0]?.kind], [ID, PARENT, true, 'server']);
  for (const traceparent of [
    '',
    `00-${ID}-${PARENT}`,
    `00-${ID.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${ID}-${'0'.repeat(16)}-01`,
    `ff-${ID}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01, 00-${ID}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01-more`,
  ]) {
    all.begin('GET /x', {}, randomUUID(), { traceparent, tracestate: 'a=1' }).end();
    const last = spans.at(-1);
    assert.ok(last?.traceId !== ID && last?.parentId === undefined && last?.state === '', traceparent);
  }
});

test('the ratio chooses among traces that begin here; those of callers are as these say', () => {
  const { spans, tracer: some } = tracer(0.25);
  for (let count = 0; count < 2_000; count += 1) some.begin('x', {}, randomUUID()).end();
  assert.ok(spans.length > 380 && spans.length < 620, String(spans.length));
  const { spans: none, tracer: never } = tracer(0);
  never.begin('x', {}, randomUUID(), { traceparent: `00-${ID}-${PARENT}-00` }).end();
  never.begin('x', {}, randomUUID()).end();
  assert.equal(none.length, 0);
  never.begin('x', {}, randomUUID(), { traceparent: `00-${ID}-${PARENT}-01` }).end();
  assert.equal(none.length, 1);
});

test('whether a request is to be traced is told before its trace begins, whose ID is that of the request', () => {
  const { spans, tracer: some } = tracer(0.25);
  const ids = Array.from({ length: 200 }, () => randomUUID());
  for (const id of ids) some.begin('x', {}, id).end();
  assert.deepEqual(
    spans.map(({ traceId }) => traceId),
    ids.filter((id) => some.concerns(id)).map((id) => id.replaceAll('-', '')),
  );
  const { tracer: never } = tracer(0);
  assert.deepEqual([never.concerns(ids[0] as string, {}), never.concerns(ids[0] as string, { traceparent: `00-${ID}-${PARENT}-00` })], [false, true]);
});

test('a step ends with its work, once, and tells a failure by its code alone', async () => {
  const { spans, tracer: all } = tracer();
  const root = all.begin('root', {}, randomUUID());
  await root.over(async () => {
    assert.equal(
      inSpan('sync', 'internal', {}, () => currentSpan()?.name),
      'sync',
    );
    await assert.rejects(inSpan('fault', 'internal', {}, () => Promise.reject(new Fault('NOT_FOUND', { detail: 'a secret' }))));
    assert.throws(() =>
      inSpan('bug', 'internal', {}, () => {
        throw new Error('a secret');
      }),
    );
  });
  root.end('again');
  assert.deepEqual(
    spans.map(({ name, error, parentId }) => [name, error, parentId === root.id]),
    [
      ['sync', undefined, true],
      ['fault', 'NOT_FOUND', true],
      ['bug', 'INTERNAL', true],
      ['root', undefined, false],
    ],
  );
  assert.ok(!JSON.stringify(spans).includes('secret'));
  assert.equal(currentSpan(), undefined);
});

test('a call in another thread is part of the span that its message names; a malformed name is none', () => {
  const { spans, tracer: all } = tracer();
  const call = all.begin('call', {}, randomUUID(), { traceparent: `00-${ID}-${PARENT}-01`, tracestate: 'a=1' });
  const there = receivedSpan(call.wire, (span) => spans.push(span));
  there?.run(() => inSpan('step', 'internal', {}, () => {}));
  assert.deepEqual([spans[0]?.parentId, spans[0]?.traceId, spans[0]?.state], [call.id, ID, 'a=1']);
  for (const wire of ['', 'x', `${ID}-${PARENT}`, `${ID}-${PARENT}-2`])
    assert.equal(
      receivedSpan(wire, () => {}),
      undefined,
    );
});

test('transactions that commit together: each has its own statements, its own BEGIN and COMMIT', async () => {
  const { spans, tracer: all } = tracer();
  const jobs: (() => Promise<void>)[] = [];
  const tx = { run: async () => 1, get: async () => undefined, all: async () => [], audit: async () => {} } as unknown as Transaction;
  const store = {
    dialect: 'sqlite',
    // As the group commit: the work of all runs where the first was submitted.
    transaction: (work: (given: Transaction) => Promise<unknown>) => new Promise((resolve) => jobs.push(async () => void resolve(await work(tx)))),
  } as unknown as Store;
  const traced = tracedStore(store);
  const change = (name: string) => all.begin(name, {}, randomUUID()).over(() => traced.transaction((given) => given.run(`UPDATE ${name} SET a = 'secret'`)));
  const first = change('one');
  const second = change('two');
  for (const job of jobs) await job();
  await Promise.all([first, second]);
  for (const name of ['one', 'two']) {
    const { traceId } = spans.find((span) => span.name === name) as EndedSpan;
    const names = spans.filter((span) => span.traceId === traceId).map((span) => span.name);
    assert.deepEqual(names, ['BEGIN', `UPDATE ${name}`, 'COMMIT', 'transaction', name]);
  }
});

test('what another process sends is believed only if it is a span', () => {
  const { spans, tracer: all } = tracer();
  all.begin('x', { a: 1, b: ['c'], d: true }, randomUUID()).end();
  const [good] = spans as [EndedSpan];
  assert.deepEqual(readSpans([good]), [good]);
  const bad = [null, 1, [], { ...good, traceId: 'x' }, { ...good, spanId: 1 }, { ...good, parentId: 'x' }, { ...good, kind: 'other' }];
  const worse = [
    { ...good, startMs: Number.NaN },
    { ...good, name: 'x'.repeat(300) },
    { ...good, attributes: { a: {} } },
    { ...good, attributes: null },
  ];
  assert.deepEqual(readSpans([...bad, ...worse]), []);
  assert.deepEqual([readSpans('x'), readCount(-1), readCount('1'), readCount(3)], [[], 0, 0, 3]);
});

test('a thread that cannot send for long keeps a bounded number of spans and counts the others', () => {
  const sent: { spans: readonly unknown[]; dropped: number }[] = [];
  const outbox = spanOutbox({ control: (message) => void sent.push(message as never) });
  const { spans, tracer: all } = tracer();
  all.begin('x', {}, randomUUID()).end();
  for (let count = 0; count < 5_000; count += 1) outbox.push(spans[0] as EndedSpan);
  outbox.flush();
  assert.deepEqual([sent[0]?.spans.length, sent[0]?.dropped], [4_096, 904]);
  outbox.flush();
  assert.equal(sent.length, 1);
});

test('[tracing]: addresses and headers that cannot be used are named, and no value of a header', () => {
  const section = (given: object) => validate(given, TRACING, 'tracing').value as Parameters<typeof tracingProblems>[0];
  assert.deepEqual(tracingProblems(section({})), []);
  assert.deepEqual(tracingProblems(section({ endpoint: 'https://collector.example/v1/traces', headers: 'authorization=Basic%20abc==' })), []);
  assert.deepEqual(headersIn({ headers: 'a=b%2Cc, d = e=f' }), { a: 'b,c', d: 'e=f' });
  const problems = tracingProblems(section({ endpoint: 'http://collector.example', headers: 'a=hidden%0A', attributes: ['hidden'] }));
  assert.equal(problems.length, 3);
  assert.ok(!JSON.stringify(problems).includes('hidden'));
  assert.deepEqual(validate({ sample_ratio: 2 }, TRACING, 'tracing').problems.length, 1);
});

test.run();
