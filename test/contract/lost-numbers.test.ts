// Whole numbers that JavaScript makes another of, and numbers that it makes infinite, are refused in every body: what is stored is what was sent.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { lostNumber } from '../../text/lost-number.ts';
import { type People, people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let they: People;

test.before(async () => {
  server = await startServer();
  they = people(server, await signInAdmin(server));
  await they.realm('r');
});
test.after(() => server?.end());

test('the path of the number that would be lost is named, and what is kept is none', () => {
  for (const [json, path] of [
    ['{"a":12345678901234567890}', '/a'],
    ['{"a":{"b":[1, -9007199254740993]}}', '/a/b/1'],
    ['{"a/b~":1e400}', '/a~1b~0'],
    ['[1.5E309]', '/0'],
    ['[[0,"1e999",{"\\u0061":[],"b" : {"é":1e+999}}]]', '/0/2/b/é'],
    [`{"a":${'9'.repeat(400)}}`, '/a'],
    ['{"a":9007199254740991,"b":-9007199254740991,"c":9007199254740992}', undefined],
    // As JavaScript itself writes them.
    ['{"a":12345678901234567000,"b":1000000000000000000000,"c":1e+21}', undefined],
    ['{"a":0.1234567890123456789,"b":1e-400,"c":[1E5,-0]}', undefined],
    ['{"a":"x, 12345678901234567890 and 1e400","12345678901234567890":""}', undefined],
  ] as const)
    assert.equal(lostNumber(Buffer.from(json)), path, json);
});

test('a claim is stored as it was sent, or refused by its name', async () => {
  const post = (claims: string) =>
    server.ask('POST', '/realms/r/userpass', {
      cookie: they.root,
      headers: { 'content-type': 'application/json' },
      body: `{"username":"ann","password_input":{"plaintext":"ann password"},"extra_claims":${claims}}`,
    });
  for (const claims of ['{"id":12345678901234567890}', '{"id":1e400}']) {
    const { status, body } = await post(claims);
    assert.deepEqual([status, body.message], [400, 'body/extra_claims/id: the number cannot be kept as it is; write it as a text']);
  }
  const kept = '{"id":9007199254740991,"text":"12345678901234567890"}';
  assert.equal((await post(kept)).status, 201);
  const { cookie } = await they.signIn('r', 'ann', 'ann password');
  const { id, text } = (await server.ask('GET', '/whoami', { cookie })).body;
  assert.deepEqual({ id, text }, JSON.parse(kept));
});

test('other values of free form too', async () => {
  const body = '{"id":"a","realms":["r"],"digital_credentials":{"wallet":[12345678901234567890]}}';
  const { status, text } = await server.ask('POST', '/admins', { cookie: they.root, headers: { 'content-type': 'application/json' }, body });
  assert.equal(status, 400, text);
  assert.match(text, /body\/digital_credentials\/wallet\/0: the number cannot be kept/);
});

test.run();
