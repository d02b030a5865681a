// The dashboard and the alert rules in setups/monitoring name metrics and labels that the server serves, and nothing else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { startCollector } from '../fakes/collector.ts';
import { signInAdmin, startServer } from '../server.ts';
import { callerTrace, collected } from './trace.ts';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../setups/monitoring/${name}`, import.meta.url)), 'utf8');

interface Dashboard {
  /** Of a metric, or in TraceQL of traces. */
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr?: string; readonly query?: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

/** Labels that Prometheus adds; one that the server has too is renamed. */
const ADDED: readonly string[] = ['instance', 'job', 'le'];
const RENAMED: Readonly<Record<string, string>> = { exported_instance: 'instance' };

/** Metrics of an expression with the labels that it selects by or adds up by. */
function namedIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const metrics = [...expr.matchAll(/\bgatehouse_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''));
  const selected = [...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label]) => label as string);
  const grouped = [...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list]) => (list as string).split(',').map((label) => label.trim()));
  return { metrics, labels: [...selected, ...grouped].filter((label) => !ADDED.includes(label)).map((label) => RENAMED[label] ?? label) };
}

/** Labels of each metric that has values. */
function served(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const [, name] of text.matchAll(/^# TYPE (\w+) /gm)) all.set(name as string, new Set());
  for (const [, name, labels] of text.matchAll(/^(gatehouse_\w+?)(?:_bucket|_count|_sum)?\{([^}]*)\}/gm))
    for (const [, label] of (labels as string).matchAll(/(\w+)="/g)) all.get(name as string)?.add(label as string);
  return all;
}

const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;
const alerts = [...read('alerts.yml').matchAll(/^ {8}expr: (.+)$/gm)].map(([, expr]) => expr as string);
const expressions = [
  ...dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr ?? [])),
  ...alerts,
  ...dashboard.templating.list.map(({ query }) => query),
];

test('each metric that the dashboard and the rules name is served, with the labels that they use', async () => {
  assert.ok(alerts.length > 5 && expressions.length > 20);
  const server = await startServer();
  await signInAdmin(server);
  await server.ask('POST', '/login?realm=_', { user: 'admin:a wrong password' });
  const { text } = await server.ask('GET', '/metrics');
  const metrics = served(text);
  for (const expr of expressions) {
    const named = namedIn(expr);
    for (const metric of named.metrics) {
      assert.ok(metrics.has(metric), `${metric} is not served: ${expr}`);
      const labels = metrics.get(metric) as ReadonlySet<string>;
      // One without values, such as of HSMs, shows no labels.
      if (labels.size > 0) for (const label of named.labels) assert.ok(labels.has(label), `${metric} has no label ${label}: ${expr}`);
    }
  }
  assert.match(text, /gatehouse_logins_total\{outcome="Refused"\} [1-9]/);
  await server.end();
});

test('the traces that the dashboard asks for have the attributes that it names', async () => {
  const queries = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ query }) => query ?? []));
  assert.equal(queries.length, 1);
  const collector = await startCollector();
  const server = await startServer({ config: `[tracing]\nendpoint = "${collector.endpoint}"\n` });
  const { headers, traceId } = callerTrace();
  await server.ask('GET', '/whoami', { headers });
  const { root } = await collected(collector, traceId);
  const sent: Readonly<Record<string, readonly string[]>> = { span: Object.keys(root.attributes), resource: Object.keys(collector.resources[0] ?? {}) };
  const named = [...(queries[0] as string).matchAll(/\b(span|resource)\.([\w.]+)/g)];
  assert.equal(named.length, 3);
  for (const [, scope, attribute] of named) assert.ok(sent[scope as string]?.includes(attribute as string), `${scope}.${attribute}`);
  assert.equal(root.kind, 2, 'of a server');
  await server.end();
  await collector.end();
});

test('this test sees a metric and a label that are not served', () => {
  const metrics = served('# TYPE gatehouse_a counter\ngatehouse_a{outcome="ok"} 1\n');
  const { metrics: named, labels } = namedIn('sum by (state) (rate(gatehouse_a{outcome!="ok"}[5m])) + gatehouse_b');
  assert.deepEqual(
    [named, labels],
    [
      ['gatehouse_a', 'gatehouse_b'],
      ['outcome', 'state'],
    ],
  );
  assert.deepEqual([metrics.has('gatehouse_b'), metrics.get('gatehouse_a')?.has('state')], [false, false]);
});

test.run();
