// Every route that takes JSON lets it nest 64 levels, however small or large the body is, and says so of more.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
});
test.after(() => server.end());

/** One of each way in which bodies are read. */
const ROUTES = ['/admins/realms', '/v1/crypto/encrypt', '/v1/crypto/keys', '/access/grant', '/tokenize/word-mask', '/tokenize/noise'];

/** @param levels with the object itself @param size of a text beside them */
const nested = (levels: number, size: number) => `{"nested":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"beside":"${'x'.repeat(size)}"}`;

const TOO_DEEP = /64 levels/;

for (const path of ROUTES)
  test(`POST ${path}`, async () => {
    for (const size of [0, 60_000])
      for (const [levels, isRefused] of [
        [64, false],
        [65, true],
        [70, true],
        [1_000, true],
      ] as const) {
        const { status, text } = await server.ask('POST', path, { cookie, body: nested(levels, size) });
        assert.ok(status < 500, text);
        assert.equal(TOO_DEEP.test(text), isRefused, `${levels} levels, ${size} characters: ${status} ${text}`);
      }
  });

test('POST /kmip/2_1 counts structures', async () => {
  const message = (levels: number) => `{"tag":"Locate","value":[${'{"tag":"Attributes","value":['.repeat(levels - 1)}${']}'.repeat(levels - 1)}]}`;
  const refusal = async (levels: number) => (await server.ask('POST', '/kmip/2_1', { cookie, body: message(levels) })).text;
  assert.doesNotMatch(await refusal(64), TOO_DEEP);
  assert.match(await refusal(65), TOO_DEEP);
});

test.run();
