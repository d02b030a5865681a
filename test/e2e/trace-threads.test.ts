// Traces across threads, processes and servers: three fronts, the KMIP listener, servers that are asked, a collector that is away, and nothing at all without [tracing].
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { decodeJson } from '../../kmip/ttlv/json.ts';
import { type Collector, startCollector } from '../fakes/collector.ts';
import { startOpenAiServer } from '../fakes/openai-server.ts';
import { form } from '../plugins/ai/files.ts';
import { until } from '../runtime.ts';
import { startSecureServer } from '../secure-server.ts';
import { signInAdmin, startServer, temporaryFolder } from '../server.ts';
import { exitOf, launch } from './started.ts';
import { callerTrace, collected } from './trace.ts';

const tracing = ({ endpoint }: Pick<Collector, 'endpoint'>, more = '') => `[tracing]\nendpoint = "${endpoint}"\n${more}\n`;

test('with three fronts each trace is whole, whichever thread has the request', async () => {
  const collector = await startCollector();
  const server = await startServer({ config: tracing(collector), env: { GATEHOUSE_HTTP_THREADS: '3' } });
  const cookie = await signInAdmin(server);
  const asked = Array.from({ length: 24 }, () => callerTrace());
  await Promise.all(asked.map(({ headers }) => server.ask('GET', '/admins/realms', { cookie, headers })));
  const threads = new Set<unknown>();
  for (const { traceId, spanId } of asked) {
    const trace = await collected(collector, traceId, /^directory\./, /^SELECT realm/);
    trace.assertNested();
    assert.equal(trace.root.parentSpanId, spanId);
    assert.deepEqual(trace.pathTo(/^SELECT realm/).slice(0, 2), ['GET /admins/realms', 'directory.listRealms'], String(trace));
    threads.add(trace.root.attributes['thread.id']);
  }
  assert.ok(threads.size > 1, 'several threads served them');
  await server.end();
  await collector.end();
});

test('a message of the KMIP listener is a span that tells its items', async () => {
  const collector = await startCollector();
  const server = await startSecureServer({ config: `${tracing(collector)}[keys.kmip_listener]\nenabled = true\nport = 0\n` });
  const socket = server.dial(server.kmipPort(), await server.client('owner@acme.com'));
  await once(socket, 'secureConnect');
  const integer = (tag: string, value: number) => ({ tag, type: 'Integer', value });
  const item = {
    tag: 'BatchItem',
    value: [
      { tag: 'Operation', type: 'Enumeration', value: 'DiscoverVersions' },
      { tag: 'RequestPayload', value: [] },
    ],
  };
  const version = { tag: 'ProtocolVersion', value: [integer('ProtocolVersionMajor', 1), integer('ProtocolVersionMinor', 4)] };
  const header = { tag: 'RequestHeader', value: [version, integer('BatchCount', 2)] };
  const items = [item, item].map(({ value, ...rest }, at) => ({
    ...rest,
    value: [value[0], { tag: 'UniqueBatchItemID', type: 'ByteString', value: `0${at}` }, value[1]],
  }));
  socket.write(encodeBinary(decodeJson(Buffer.from(JSON.stringify({ tag: 'RequestMessage', value: [header, ...items] })))));
  await once(socket, 'data');
  await until(() => collector.spans.some(({ name }) => name === 'KMIP message'), 'the span of the message', 20_000);
  const message = collector.spans.find(({ name }) => name === 'KMIP message');
  const { 'gatehouse.kmip.outcomes': outcomes, 'gatehouse.kmip.batch_count': count, 'gatehouse.request_id': id } = message?.attributes ?? {};
  assert.deepEqual([outcomes, count], [['DiscoverVersions:Success', 'DiscoverVersions:Success'], 2]);
  assert.match(String(id), /^[0-9a-f-]{36}$/);
  const call = collector.spans.find(({ parentSpanId }) => parentSpanId === message?.spanId);
  assert.equal(call?.name, 'kmip.serve');
  await server.end();
  await collector.end();
});

test('a model elsewhere gets the trace of the request, and the run of the model is a step of it', async () => {
  const collector = await startCollector();
  const elsewhere = await startOpenAiServer('secret-key-of-the-test');
  elsewhere.reply = () => 'Elias keeps the harbour.';
  const model = `[[ai.models]]\nid = "sums"\ntask = "summary"\nengine = "http"\nurl = "${elsewhere.url}"\nmodel = "small-instruct"\napi_key = "secret-key-of-the-test"\n`;
  const server = await startServer({ config: tracing(collector) + model });
  const cookie = await signInAdmin(server);
  const asked = callerTrace();
  const { headers, ...body } = await form({ doc: 'Elias Brandt keeps the harbour at night.' });
  const answer = await server.ask('POST', '/summarize', { cookie, ...body, headers: { ...headers, ...asked.headers } });
  assert.equal(answer.status, 200, answer.text);
  const trace = await collected(collector, asked.traceId, /^model generate/, /^POST$/);
  trace.assertNested();
  assert.deepEqual(trace.pathTo(/^POST$/), ['POST /summarize', 'model.generate', 'model generate', 'POST'], String(trace));
  const out = trace.find(/^POST$/);
  assert.equal(elsewhere.asked[0]?.traceparent, `00-${asked.traceId}-${out.spanId}-01`);
  assert.deepEqual([trace.find(/^model generate$/).attributes['gen_ai.request.model'], out.attributes['http.response.status_code']], ['sums', 200]);
  await server.end();
  for (const secret of ['Elias', 'secret-key-of-the-test']) assert.ok(!collector.bodies.join('').includes(secret), secret);
  await Promise.all([collector.end(), elsewhere.end()]);
});

test('a collector that is away or never answers harms no request, and the log says so once', async () => {
  const collector = await startCollector();
  const server = await startServer({ config: tracing(collector) });
  collector.misbehave = (_request, response) => void response.writeHead(400).end('go away, secret of the collector');
  const logged = (text: RegExp) => server.lines.filter(({ msg }) => text.test(String(msg)));
  for (let round = 1; round <= 3; round += 1) {
    assert.equal((await server.ask('GET', '/health')).status, 200);
    const failed = async () => Number(/spans_total\{outcome="failed"\} (\d+)/.exec((await server.ask('GET', '/metrics')).text)?.[1] ?? 0);
    await until(async () => (await failed()) >= round, 'spans are refused');
  }
  assert.equal(logged(/^traces cannot be sent/).length, 1);
  assert.ok(!JSON.stringify(server.lines).includes('secret of the collector'));
  collector.misbehave = undefined;
  await server.ask('GET', '/health');
  await until(() => logged(/^traces are sent to the collector again/).length === 1, 'the collector is back', 20_000);
  const silent = new Promise<void>((resolve) => {
    collector.misbehave = () => resolve();
  });
  const sample = async () => assert.equal((await server.ask('GET', '/health')).status, 200);
  await Promise.all([silent, sample()]);
  for (let count = 0; count < 20; count += 1) await sample();
  collector.misbehave = undefined;
  await server.end();
  await collector.end();
});

test('without an endpoint no thread loads OpenTelemetry; with one they do', async () => {
  const loaded = async (env: NodeJS.ProcessEnv) => {
    const folder = temporaryFolder();
    const list = join(folder, 'loaded');
    writeFileSync(list, '');
    const hook = `import{registerHooks}from'node:module';import{appendFileSync}from'node:fs';registerHooks({load(url,context,next){if(url.includes('/@opentelemetry/'))appendFileSync(${JSON.stringify(list)},url+'\\n');return next(url,context)}})`;
    const options = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
    const { child, output } = launch(join(folder, 'data'), [], { NODE_OPTIONS: options, GATEHOUSE_HTTP_THREADS: '2', ...env });
    await until(() => /is ready at/.test(output.text) || child.exitCode !== null, 'the server is ready', 120_000);
    child.kill('SIGTERM');
    assert.equal(await exitOf(child), 0, output.text);
    const found = readFileSync(list, 'utf8').matchAll(/\/@opentelemetry\/([a-z-]+)\//g);
    rmSync(folder, { recursive: true });
    return new Set([...found].map(([, name]) => name as string));
  };
  // The library of the metrics loads the API, which is types and no more, in any case.
  assert.deepEqual([...(await loaded({}))], ['api']);
  const all = await loaded({ GATEHOUSE_TRACING_ENDPOINT: 'http://127.0.0.1:9/v1/traces' });
  for (const name of ['core', 'sdk-trace', 'exporter-trace-otlp-http']) assert.ok(all.has(name), `${name} in ${[...all]}`);
});

test.run();
