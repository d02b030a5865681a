// Results of the bench: limits out of one table, ratios, the change since the last run, merged results files, and charts that are well-formed.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { asked, type Compared, comparisonCharts, comparisonRows, subjectsOf } from '../../bench/comparison.ts';
import { get } from '../../bench/load/http-request.ts';
import type { Measured } from '../../bench/load/turns.ts';
import { parseOptions } from '../../bench/options.ts';
import { type Chart, svgOf } from '../../bench/report/chart.ts';
import { limitsOf, RULES } from '../../bench/report/limits.ts';
import { merged, type Results, type Row, readResults, withChange, writeResults } from '../../bench/report/results-file.ts';
import { temporaryFolder } from '../server.ts';

const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true, force: true }));

const MACHINE = { cpu: 'a processor', cores: 2, node: 'v24', platform: 'linux x64' };
const results = (rows: readonly Row[], more: Partial<Results> = {}): Results => ({ name: 'q', at: 'now', machine: MACHINE, rows, limits: [], ...more });

test('a limit is checked for each row that it is about, and a value that is missing does not hold', () => {
  const rows: Row[] = [
    { what: 'Encrypt, JSON', connections: 1, 'of its limit': 0.7, 'CPU of its limit': 1.4 },
    { what: 'Encrypt, JSON', connections: 16, 'of its limit': 0.69, 'CPU of its limit': 1.41 },
    { what: 'Encrypt, JSON', connections: 64 },
    { what: 'Create AES', connections: 16, 'requests/s': 3_500 },
    { what: 'Create AES', connections: 1, 'requests/s': 10 },
    { what: 'something else', connections: 1, 'of its limit': 0 },
  ];
  assert.deepEqual(
    limitsOf(rows).map(({ limit, holds }) => `${holds} ${limit}`),
    [
      ...['true Encrypt, JSON at 1 connections, of its limit: at least 0.7', 'false Encrypt, JSON at 16 connections, of its limit: at least 0.7'],
      ...['false Encrypt, JSON at 64 connections, of its limit: at least 0.7', 'true Encrypt, JSON at 1 connections, CPU of its limit: at most 1.4'],
      ...['false Encrypt, JSON at 16 connections, CPU of its limit: at most 1.4', 'false Encrypt, JSON at 64 connections, CPU of its limit: at most 1.4'],
      'true Create AES at 16 connections, requests/s: at least 3500',
    ],
  );
});

test('the table has what has to be true of each operation', () => {
  const bounds = RULES.map(({ what, column, atLeast, atMost }) => `${what}, ${column}: ${atLeast ?? '-'} ${atMost ?? '-'}`);
  for (const each of [
    ...['Encrypt, JSON, of its limit: 0.7 -', 'Encrypt, binary, CPU of its limit: - 1.4', 'encrypt, REST, of its limit: 0.7 -', 'Get, CPU of its limit: - 1.4'],
    ...[
      'ten Encrypts, binary, operations/s: 40000 -',
      'Create AES, requests/s: 3500 -',
      'Sign P-256, CPU of its limit: - 1.3',
      'Sign RSA-2048, of its limit: 0.8 -',
    ],
    ...['/whoami, of its limit: 0.75 -', 'token lookup, of its limit: 0.6 -', 'role login, of its limit: 0.4 -', 'login, of its limit: 0.85 -'],
    ...['/whoami during logins, p99 ms: - 25', 'second start, ms: - 1200', 'second start, CPU ms: - 2500', 'idle, MB: - 300'],
    'Encrypt after the start, first of last: - 2',
    ...['rsa-sign, 1 of 1 instances, of the bare loop: 0.9 -', 'rsa-sign, each of 2 instances, of the bare loop: 0.9 -'],
    ...['aes-gcm, 1 of 1 instances, of the empty route: 0.4 -', 'aes-gcm, 1 of 8 instances, of one instance: 0.95 -', 'aes-gcm, routing, CPU us: - 30'],
    ...['token lookup, two nodes, of one node: 1.8 -', 'Get, one node, of SQLite: 0.9 -', 'Create, PostgreSQL, requests/s: 1500 -'],
  ])
    assert.ok(bounds.includes(each), each);
});

test('ratios are of what was measured beside it at as many connections, or of a rate that was given', () => {
  const options = parseOptions(['--connections', '1,16', '--only', 'SIGN']);
  const target = { address: '', ca: '', pid: 0 };
  const empty = { what: 'empty', target, request: get('/') };
  const all: Compared[] = [
    { subject: { what: 'sign', target, request: get('/') }, limit: { name: 'empty route', subject: empty } },
    { subject: { what: 'ten signs', target, request: get('/'), connections: [16, 64] }, limit: { name: 'bare loop', perSecond: 50 }, operations: 10 },
    { subject: { what: 'other', target, request: get('/') } },
  ];
  const compared = asked(all, options);
  assert.deepEqual(
    subjectsOf(compared).map(({ what }) => what),
    ['sign', 'empty', 'ten signs'],
  );
  const known: Readonly<Record<string, Measured>> = {
    'sign 1': { perSecond: 10, cpuUs: 300, p50Ms: 1, p99Ms: 2 },
    'empty 1': { perSecond: 40, cpuUs: 100, p50Ms: 1, p99Ms: 2 },
    'ten signs 16': { perSecond: 25, cpuUs: 300, p50Ms: 1, p99Ms: 2 },
  };
  const rows = comparisonRows(compared, (what, connections) => known[`${what} ${connections}`], options);
  assert.deepEqual(
    rows.map((row) => [row['what'], row['connections'], row['of its limit'], row['CPU of its limit'], row['operations/s']]),
    [
      ['sign', 1, 0.25, 3, undefined],
      ['ten signs', 16, 0.5, undefined, 250],
    ],
  );
});

test('a results file keeps what was not measured again on the same machine, and tells the change', () => {
  const last = results([
    { what: 'a', connections: 1, 'requests/s': 100 },
    { what: 'a', connections: 16, 'requests/s': 200 },
    { what: 'start', ms: 100 },
  ]);
  const rows: Row[] = [
    { what: 'a', connections: 16, 'requests/s': 250 },
    { what: 'start', ms: 90 },
    { what: 'new', ms: 1 },
  ];
  assert.deepEqual(
    withChange(rows, last, MACHINE).map((row) => row['change']),
    ['+25 %', '-10 %', undefined],
  );
  assert.deepEqual(withChange(rows, last, { ...MACHINE, cores: 4 }), rows);
  writeResults(folder, last);
  const limit = (name: string, holds: boolean) => ({ limit: name, value: 1, holds });
  const both = merged(readResults(folder, 'q'), results(rows, { limits: [limit('x', true)] }));
  assert.deepEqual(both.rows, [last.rows[0], ...rows]);
  const again = merged({ ...both, limits: [limit('x', false), limit('y', true)] }, results(rows, { limits: [limit('x', true)] }));
  assert.deepEqual(again.limits, [limit('y', true), limit('x', true)]);
  assert.deepEqual(merged(last, results(rows, { machine: { ...MACHINE, cpu: 'another' } })).rows, rows);
  assert.deepEqual(merged(last, results([{ size: 1 }])).rows, [{ size: 1 }]);
});

test('a results file that is missing or broken counts as none', () => {
  writeFileSync(join(folder, 'broken.json'), '{"name":');
  assert.equal(readResults(folder, 'broken'), undefined);
  assert.equal(readResults(folder, 'missing'), undefined);
});

test('charts are well-formed SVG that names every row, whatever its name has in it', () => {
  const rows: Row[] = [
    { what: 'a <b> & "c"', connections: 1, 'requests/s': 10, 'limit/s': 20, 'CPU us': 5 },
    { what: 'Get', connections: 16, 'requests/s': 1_234 },
  ];
  const charts: Record<string, Chart> = {
    ...comparisonCharts('q')(rows),
    line: { title: 'curve', unit: 'ms', kind: 'line', names: [1, 2, 3], series: { one: [1, null, 3] } },
  };
  assert.deepEqual(Object.keys(charts), ['q-rate', 'q-cpu', 'line']);
  for (const chart of Object.values(charts)) assert.equal(wellFormed(svgOf(chart)), 'svg', chart.title);
  const svg = svgOf(charts['q-rate'] as Chart);
  for (const text of ['a &lt;b&gt; &amp; ', 'Get (16)', '1234', 'requests/s']) assert.ok(svg.includes(text), text);
});

/** Reads the whole text as elements, attributes and text. @returns the name of the outermost element @throws AssertionError */
function wellFormed(xml: string): string {
  // Elements, their ends, CDATA sections and text.
  const token = /<([\w:]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|<\/([\w:]+)>|<!\[CDATA\[(?:(?!\]\]>)[\s\S])*\]\]>|[^<]+/gy;
  const open: string[] = [];
  let root = '';
  for (let at = 0; at < xml.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(xml);
    assert.ok(found, `at ${at}: ${xml.slice(at, at + 60)}`);
    const [text, begun, , isEmpty, ended] = found;
    if (!text.startsWith('<!')) assert.doesNotMatch(text, /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i);
    if (begun && open.length === 0) root = begun;
    if (begun && !isEmpty) open.push(begun);
    if (ended) assert.equal(open.pop(), ended);
  }
  assert.deepEqual(open, []);
  return root;
}

test.run();
