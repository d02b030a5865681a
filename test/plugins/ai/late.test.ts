// What is late although nothing is wrong with the request: the answer says to try again, and does not ask for less text.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type OpenAiServer, startOpenAiServer } from '../../fakes/openai-server.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { docx, form } from './files.ts';

const KEY = 'secret-key-of-the-test';
let elsewhere: OpenAiServer;
let server: TestServer;
let cookie: string;
test.before(async () => {
  elsewhere = await startOpenAiServer(KEY);
  const model = `id = "near"\ntask = "embedding"\nengine = "http"\nurl = "${elsewhere.url}"\nmodel = "small-instruct"\napi_key = "${KEY}"`;
  server = await startServer({ config: `[ai]\ntime_limit_seconds = 5\n[[ai.models]]\n${model}\n` });
  cookie = await signInAdmin(server);
});
test.after(async () => {
  await server?.end();
  await elsewhere?.end();
});

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });

test('a search that is late answers 503 with Retry-After, and the next one is right', async () => {
  const bytes = await docx(['The lamp is green.']);
  assert.equal((await post('/add_reference', { db: 'documents', reference: 'lamps' }, { name: 'a.docx', bytes })).status, 200);
  await until(() => elsewhere.asked.length > 0, 'the passage has its vector');
  let open = () => {};
  elsewhere.gate = new Promise((resolve) => (open = resolve));
  const before = elsewhere.asked.length;
  const late = post('/rag_predict', { db: 'documents', query: 'Which lamp is green?' });
  await until(() => elsewhere.asked.length > before, 'the question is asked');
  server.clock.offset[0] = (server.clock.offset[0] as bigint) + 6_000n;
  server.clock.fireDue();
  const { status, body, headers } = await late;
  assert.deepEqual([status, body.code, typeof headers['retry-after']], [503, 'AI_BASE_BUSY', 'string']);
  open();
  const again = await post('/rag_predict', { db: 'documents', query: 'Which lamp is green?' });
  assert.deepEqual([again.status, again.body], [200, { result: ['The lamp is green.'] }]);
});

test.run();
