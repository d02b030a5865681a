// The tokens of a role by accessor over HTTPS, on SQLite and PostgreSQL: listed page by page, and revoked one by one or all at once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Issuer, startIssuer } from '../../../fakes/issuer.ts';
import { testDatabases } from '../../../stores.ts';
import { type Machine, refusal, startMachine } from './setup.ts';

interface Item {
  readonly accessor: string;
  readonly entity_id: string;
  readonly creation_time: number;
  readonly expire_time: string | null;
}

const databases = await testDatabases();
const machines: Machine[] = [];
const issuers: Issuer[] = [];

test.after(async () => {
  for (const { server } of machines) await server.end();
  for (const issuer of issuers) await issuer.close();
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  const machine = await startMachine(database);
  machines.push(machine);
  const { server, admin, audit, logIn, makeRole, own, post } = machine;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const tokensOf = async (path: string): Promise<Item[]> => {
    const answer = await admin('GET', `${path}/tokens`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.tokens;
  };
  const isGood = async (token: string) => (await own('GET', 'lookup', token)).status === 200;

  // covers: GET /auth/approle/role/{name}/tokens, POST /auth/approle/role/{name}/tokens/revoke
  test(name('the tokens of a role are listed without what they are worth, and one is revoked by its accessor'), async () => {
    const roleId = await makeRole('web', { bind_secret_id: false, token_ttl: 60 });
    const tokens = [await logIn(roleId), await logIn(roleId)];
    const other = await logIn(await makeRole('other', { bind_secret_id: false, token_ttl: 0 }));
    const listed = await tokensOf('/approle/role/web');
    const now = server.clock.now() / 1000;
    assert.equal(listed.length, 2);
    for (const { entity_id, creation_time, expire_time } of listed) {
      assert.equal(entity_id, 'web');
      assert.ok(Math.abs(creation_time - now) < 60 && Math.abs(Date.parse(expire_time as string) / 1000 - creation_time - 60) <= 1);
    }
    assert.equal((await tokensOf('/approle/role/other'))[0]?.expire_time, null);
    const [first] = listed as [Item];
    assert.ok(!tokens.some((token) => JSON.stringify(listed).includes(token)) && !(await isGood(first.accessor)));
    for (const path of ['/approle/role/other', '/cluster/role/web']) assert.equal((await admin('POST', `${path}/tokens/revoke`, first)).status, 204);
    assert.deepEqual(await Promise.all(tokens.map(isGood)), [true, true]);
    assert.equal((await admin('POST', '/approle/role/web/tokens/revoke', { accessor: first.accessor })).status, 204);
    assert.deepEqual((await Promise.all(tokens.map(isGood))).toSorted(), [false, true]);
    assert.deepEqual(await tokensOf('/approle/role/web'), listed.slice(1));
    assert.ok(await isGood(other));
    assert.deepEqual(await audit('token.revoke'), [`token.revoke | success | admin | web/${first.accessor}`]);
  });

  test(name('accessors of tokens and secret ids begin with the time when they were made (RFC 9562 section 5.7)'), async () => {
    const before = Date.now();
    const roleId = await makeRole('timed', { bind_secret_id: false });
    await logIn(roleId);
    const [{ accessor }] = (await tokensOf('/approle/role/timed')) as [Item];
    const { secret_id, secret_id_accessor } = await machine.makeSecretId('timed');
    for (const id of [accessor, secret_id_accessor]) {
      const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
      assert.ok(time >= before && time <= Date.now(), id);
    }
    // What is secret is random throughout.
    assert.match(secret_id, /^.{14}4/);
  });

  test(name('expired tokens are not listed, pages follow each other, and roles that do not exist are not found'), async () => {
    const roleId = await makeRole('paged', { bind_secret_id: false, token_ttl: 60 });
    for (let made = 0; made < 3; made++) await logIn(roleId);
    const all = await tokensOf('/approle/role/paged');
    const met: Item[] = [];
    let path = '/auth/approle/role/paged/tokens?limit=2';
    for (;;) {
      const { body, headers } = await server.ask('GET', path, { cookie: machine.cookie });
      met.push(...body.data.tokens);
      const next = /<(\?[^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
      if (next === undefined) break;
      path = `/auth/approle/role/paged/tokens${next}`;
    }
    assert.deepEqual(met, all);
    assert.equal(all.length, 3);
    await server.runtime.advance(61_000);
    assert.deepEqual(await tokensOf('/approle/role/paged'), []);
    for (const [method, path] of [
      ['GET', '/approle/role/none/tokens'],
      ['GET', '/cluster/role/none/tokens'],
      ['POST', '/cluster/role/none/revoke-tokens'],
    ] as const)
      assert.deepEqual(refusal(await admin(method, path)), [404, 'NOT_FOUND'], path);
  });

  // covers: GET /auth/cluster/role/{name}/tokens, POST /auth/cluster/role/{name}/tokens/revoke, POST /auth/cluster/role/{name}/revoke-tokens
  test(name('tokens of a cluster role are listed with their service accounts, and all of them are revoked'), async () => {
    const issuer = await startIssuer({ now: () => Math.floor(server.clock.now() / 1000) });
    issuers.push(issuer);
    await issuer.addKey('k1', 'RS256');
    for (const role of ['pods', 'others']) {
      const body = { jwks_url: issuer.uri, bound_service_account_names: ['*'], bound_service_account_namespaces: ['prod'], token_ttl: 600 };
      assert.equal((await admin('POST', `/cluster/role/${role}`, body)).status, 204);
    }
    const enter = async (role: string, who: string): Promise<string> => {
      const answer = await post('/cluster/login', { role, jwt: await issuer.sign('k1', { sub: `system:serviceaccount:prod:${who}` }) });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.auth.client_token;
    };
    const tokens = [await enter('pods', 'one'), await enter('pods', 'two'), await enter('pods', 'three')];
    const other = await enter('others', 'one');
    const listed = await tokensOf('/cluster/role/pods');
    assert.deepEqual(listed.map(({ entity_id }) => entity_id).toSorted(), ['prod/one', 'prod/three', 'prod/two']);
    const { accessor } = listed.find(({ entity_id }) => entity_id === 'prod/two') as Item;
    assert.equal((await admin('POST', '/cluster/role/pods/tokens/revoke', { accessor })).status, 204);
    assert.deepEqual(await Promise.all(tokens.map(isGood)), [true, false, true]);
    assert.equal((await admin('POST', '/cluster/role/pods/revoke-tokens')).status, 204);
    assert.deepEqual(await Promise.all([...tokens, other].map(isGood)), [false, false, false, true]);
    assert.deepEqual(await audit('cluster_role.revoke_tokens'), ['cluster_role.revoke_tokens | success | admin | pods | 2 tokens revoked']);
  });
}

test.run();
