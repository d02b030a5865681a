// Names are found in whatever form of Unicode somebody writes them: in the configuration, in a search of keys and in one of the audit log.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type People, people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

const COMPOSED = 'zo\u00e9';
const DECOMPOSED = 'zoe\u0301';

let server: TestServer;
let they: People;
let zoe: string;

test.before(async () => {
  server = await startServer({ config: `[keys]\nprivileged_users = ["r/${DECOMPOSED}"]\n` });
  they = people(server, await signInAdmin(server));
  await they.realm('r');
  await they.user('r', DECOMPOSED, 'a long password');
  zoe = await they.session('r', COMPOSED, 'a long password');
});
test.after(() => server?.end());

test('a privileged user of the configuration', async () => {
  assert.deepEqual((await server.ask('GET', '/access/privileged', { cookie: zoe })).body, { has_privileged_access: true });
});

test('the owner of a key in Locate', async () => {
  const { body: key } = await server.ask('POST', '/v1/crypto/keys', { cookie: zoe, body: { kty: 'oct', alg: 'A256GCM' } });
  for (const name of [COMPOSED, DECOMPOSED]) {
    const members = Object.entries({ VendorIdentification: 'gatehouse', AttributeName: 'owner', AttributeValue: `r/${name}` });
    const owner = { tag: 'Attribute', value: members.map(([tag, value]) => ({ tag, type: 'TextString', value })) };
    const { body } = await server.ask('POST', '/kmip/2_1', { cookie: zoe, body: { tag: 'Locate', value: [{ tag: 'Attributes', value: [owner] }] } });
    assert.deepEqual(
      body.value.map(({ value }: { value: unknown }) => value),
      [1, key.kid],
      name,
    );
  }
});

test('the actor of events in the audit log', async () => {
  const found = async (name: string) =>
    (await server.ask('GET', `/audit?realm=r&event=login&actor=${encodeURIComponent(name)}`, { cookie: they.root })).body.events;
  assert.deepEqual([(await found(COMPOSED)).length, await found(DECOMPOSED)], [1, await found(COMPOSED)]);
});

test.run();
