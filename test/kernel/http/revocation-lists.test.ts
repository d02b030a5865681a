// A revocation list that ends while connections and sessions of clients live on: they are clients no more, as those that connect then.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import Type from 'typebox';
import { test } from 'uvu';
import { endOfLists, termsOf } from '../../../kernel/http/tls/revocation-lists.ts';
import { derOf } from '../../../kernel/pem.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { DAY_MS, type Made, makeCertificate, revocationList } from '../../certificates.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';

const LIST_DAYS = 3;
/** Answers what the front makes of the client's certificate. */
const mirror = definePlugin({
  name: 'mirror',
  config: Type.Object({}, { default: {} }),
  routes: () => [{ method: 'GET', path: '/mirror', auth: 'none', handle: ({ certificate }) => ({ status: 200, body: certificate ?? null }) }],
});

let server: SecureServer;
test.before(async () => {
  const list = async (authority: Made, file: SecureServer['file']) => `client_crl = "${file('crl.pem', await revocationList(authority, [], [], LIST_DAYS))}"`;
  server = await startSecureServer({ plugins: [...BUILT_IN, mirror] as never }, list);
});
test.after(() => server?.end());

test('an open connection and a resumed session prove nothing any more when the list has ended', async () => {
  const ann = await server.client('ann');
  const first = await dial(ann);
  assert.deepEqual(await first.ask(), { commonName: 'ann' });
  const session = await first.session;
  const resumed = await dial(ann, session);
  assert.deepEqual([resumed.isReused, await resumed.ask()], [true, { commonName: 'ann' }]);
  await server.runtime.advance((LIST_DAYS + 1) * DAY_MS);
  const late = await dial(ann, session);
  assert.equal(late.isReused, true);
  for (const each of [first, resumed, late]) {
    assert.equal(await each.ask(), null);
    each.socket.destroy();
  }
  await server.runtime.advance(-(LIST_DAYS + 1) * DAY_MS);
});

test('the list of the issuer counts, the latest of several; of no issuer the first', async () => {
  const [one, other, third] = await Promise.all(['CN=one', 'CN=other', 'CN=third'].map((name) => makeCertificate(name)));
  assert.ok(one && other && third);
  const client = (issuer: typeof one) => makeCertificate('CN=ann', { issuer });
  const lists = await Promise.all([revocationList(one, [], [], 2), revocationList(one, [], [], 4), revocationList(other, [], [], 1)]);
  const terms = termsOf(lists);
  const days = async (issuer: typeof one) => (endOfLists(terms, derOf((await client(issuer)).cert)) - Date.now()) / DAY_MS;
  for (const [issuer, expected] of [
    [one, 4],
    [other, 1],
    [third, 1],
  ] as const)
    assert.ok(Math.abs((await days(issuer)) - expected) < 0.01, issuer.certificate.subject);
});

test.run();

async function dial(client: Made, session?: Buffer) {
  const socket = server.dial(Number(new URL(server.address).port), client, session ? { session } : {});
  const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve));
  await once(socket, 'secureConnect');
  const ask = async (): Promise<unknown> => {
    socket.write('GET /mirror HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return JSON.parse(answer.toString().split('\r\n\r\n')[1] as string);
  };
  return { socket, session: ticket, isReused: socket.isSessionReused(), ask };
}
