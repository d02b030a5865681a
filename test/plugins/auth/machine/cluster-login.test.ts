// The login of cluster service accounts over HTTPS, on SQLite and PostgreSQL: what is accepted, each refusal, and key set servers that misbehave.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { test } from 'uvu';
import { ensureSelfSigned } from '../../../../kernel/http/tls/self-signed.ts';
import { type Issuer, startIssuer } from '../../../fakes/issuer.ts';
import { until } from '../../../runtime.ts';
import { startServer, temporaryFolder } from '../../../server.ts';
import { testDatabases } from '../../../stores.ts';
import { type Machine, refusal, startMachine } from './setup.ts';

const databases = await testDatabases();
const folder = temporaryFolder();
const certificate = await ensureSelfSigned(folder, '127.0.0.1', Date.now());
const DENIED = [400, 'AUTH_JWT_DENIED'];
const NOT_ALLOWED = [403, 'AUTH_SERVICE_ACCOUNT_DENIED'];
const ISSUER = 'https://cluster.example';
const machines: Machine[] = [];
const issuers: Issuer[] = [];

test.after(async () => {
  for (const { server } of machines) await server.end();
  for (const issuer of issuers) await issuer.close();
  for (const database of databases) await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const database of databases) {
  const machine = await startMachine(database, { config: `[auth]\njwks_ca = "../${basename(folder)}/tls/cert.pem"\n` });
  machines.push(machine);
  const { server, admin, post, own, audit } = machine;
  const now = () => Math.floor(server.clock.now() / 1000);
  const name = (text: string) => `${database.dialect}: ${text}`;
  const newIssuer = async (options: { tls?: { cert: string; key: string } } = {}): Promise<Issuer> => {
    const issuer = await startIssuer({ now, ...options });
    issuers.push(issuer);
    await issuer.addKey('k1', 'RS256');
    return issuer;
  };
  const account = (namespace: string, serviceAccount: string) => `system:serviceaccount:${namespace}:${serviceAccount}`;
  const login = (role: unknown, jwt: unknown) => post('/cluster/login', { role, jwt });
  const putRole = async (role: string, issuer: Issuer, more: object = {}) => {
    const body = { jwks_url: issuer.uri, bound_service_account_names: ['app'], bound_service_account_namespaces: ['prod'], token_ttl: 600, ...more };
    const answer = await admin('POST', `/cluster/role/${role}`, body);
    assert.equal(answer.status, 204, answer.text);
  };
  const sub = account('prod', 'app');

  // covers: POST /auth/cluster/login
  test(name('a good JWT is answered with a token of the account, whatever the content type'), async () => {
    const issuer = await newIssuer();
    await putRole('web', issuer, { token_policies: ['p'], expected_issuer: ISSUER, bound_audiences: ['gatehouse', 'vault'] });
    const jwt = await issuer.sign('k1', { sub, iss: ISSUER, aud: ['other', 'gatehouse'] });
    for (const type of ['application/json', 'text/plain', '']) {
      const body = JSON.stringify({ role: 'web', jwt, unknown: 1 });
      const answer = await server.ask('POST', '/auth/cluster/login', { body, headers: { 'content-type': type } });
      assert.equal(answer.status, 200, answer.text);
      const { client_token, ...auth } = answer.body.auth;
      assert.match(client_token, /^hvs\.[A-Za-z0-9_-]{43}$/);
      assert.deepEqual(auth, { renewable: true, lease_duration: 600, policies: ['p'], metadata: {} });
      assert.equal((await own('GET', 'lookup', client_token)).body.data.entity_id, 'prod/app');
      assert.deepEqual((await own('POST', 'renew', client_token)).body.auth.metadata, {});
    }
    assert.equal(issuer.fetches, 1);
    assert.match((await server.ask('GET', '/metrics')).text, /gatehouse_tokens_generated_total\{kind="cluster"\} 3/);
    const rows = (await audit('cluster.login')).map((row) => row.replace(/[0-9a-f-]{36}/, 'ID'));
    assert.deepEqual(rows, Array(3).fill('cluster.login | success | prod/app | ID'));
  });

  test(name('a cluster role bound to networks signs in from them only; its tokens make as many requests as it says'), async () => {
    const issuer = await newIssuer();
    const jwt = await issuer.sign('k1', { sub });
    await putRole('far', issuer, { token_bound_cidrs: ['192.0.2.0/24'] });
    assert.deepEqual(refusal(await login('far', jwt)), DENIED);
    await putRole('near', issuer, { token_bound_cidrs: '127.0.0.0/8', token_num_uses: 1 });
    const token = (await login('near', jwt)).body.auth.client_token;
    assert.deepEqual([(await own('GET', 'lookup', token)).status, (await own('GET', 'lookup', token)).status], [200, 403]);
    const { token_bound_cidrs: bound, token_num_uses: uses } = (await admin('GET', '/cluster/role/near')).body.data;
    assert.deepEqual([bound, uses], [['127.0.0.0/8'], 1]);
  });

  test(name('tokens of a cluster role with token_renewable false are not renewed'), async () => {
    const issuer = await newIssuer();
    await putRole('fixed', issuer, { token_renewable: false });
    const { client_token, renewable } = (await login('fixed', await issuer.sign('k1', { sub }))).body.auth;
    assert.deepEqual([renewable, (await own('GET', 'lookup', client_token)).body.data.renewable], [false, false]);
    assert.deepEqual(refusal(await own('POST', 'renew', client_token)), [403, 'AUTH_TOKEN_NOT_RENEWABLE']);
  });

  test(name('every algorithm of the list is accepted, others are not'), async () => {
    const issuer = await newIssuer();
    await putRole('algorithms', issuer);
    const statuses: Record<string, number> = {};
    for (const algorithm of ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'EdDSA']) await issuer.addKey(algorithm, algorithm);
    for (const algorithm of ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'EdDSA'])
      statuses[algorithm] = (await login('algorithms', await issuer.sign(algorithm, { sub }))).status;
    assert.deepEqual(statuses, { RS256: 200, RS384: 200, RS512: 200, ES256: 200, ES384: 200, ES512: 400, PS256: 400, EdDSA: 400 });
  });

  test(name('names and namespaces are held against the role: 403, and any with a star'), async () => {
    const issuer = await newIssuer();
    await putRole('bound', issuer, { bound_service_account_names: ['app', 'job'], bound_service_account_namespaces: ['prod', 'test'] });
    await putRole('any', issuer, { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] });
    const status = async (role: string, namespace: string, serviceAccount: string) =>
      (await login(role, await issuer.sign('k1', { sub: account(namespace, serviceAccount) }))).status;
    assert.equal(await status('bound', 'test', 'job'), 200);
    assert.deepEqual(refusal(await login('bound', await issuer.sign('k1', { sub: account('prod', 'other') }))), NOT_ALLOWED);
    assert.deepEqual(refusal(await login('bound', await issuer.sign('k1', { sub: account('other', 'app') }))), NOT_ALLOWED);
    assert.equal(await status('bound', 'app', 'prod'), 403);
    assert.deepEqual(await Promise.all([status('any', 'a', 'b'), status('any', 'prod', 'app'), status('any', 'x-1', 'y.z')]), [200, 200, 200]);
    assert.ok((await audit('cluster.login')).includes('cluster.login | refused | prod/other | bound | service account not allowed'));
  });

  test(name('whatever is wrong with role or JWT is one answer: 400; the audit log says what'), async () => {
    const [issuer, foreign] = [await newIssuer(), await newIssuer()];
    await putRole('strict', issuer, { expected_issuer: ISSUER, bound_audiences: ['gatehouse'] });
    const claims = { sub, iss: ISSUER, aud: 'gatehouse' };
    const good = await issuer.sign('k1', claims);
    const [, payload, signature] = good.split('.');
    const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hs256 = `${b64({ alg: 'HS256', kid: 'k1' })}.${payload}`;
    const tries: Record<string, [string, string]> = {
      'unknown role': ['nobody', good],
      'a role name that breaks the rule': ['a b/c', good],
      'no JWT at all': ['strict', ''],
      garbage: ['strict', 'a.b.c'],
      'alg none': ['strict', `${b64({ alg: 'none' })}.${payload}.`],
      'HS256 with the public key as secret': [
        'strict',
        `${hs256}.${createHmac('sha256', await issuer.publicPem('k1'))
          .update(hs256)
          .digest('base64url')}`,
      ],
      'the key of another issuer': ['strict', await foreign.sign('k1', claims)],
      'another payload': ['strict', `${good.split('.')[0]}.${b64({ ...claims, sub: account('prod', 'root'), exp: now() + 300 })}.${signature}`],
      'no exp': ['strict', await issuer.sign('k1', { ...claims, exp: undefined })],
      expired: ['strict', await issuer.sign('k1', { ...claims, exp: now() - 1 })],
      'not yet': ['strict', await issuer.sign('k1', { ...claims, nbf: now() + 60 })],
      'another iss': ['strict', await issuer.sign('k1', { ...claims, iss: 'https://other' })],
      'no iss': ['strict', await issuer.sign('k1', { ...claims, iss: undefined })],
      'another aud': ['strict', await issuer.sign('k1', { ...claims, aud: 'other' })],
      'no aud': ['strict', await issuer.sign('k1', { ...claims, aud: undefined })],
      'no sub': ['strict', await issuer.sign('k1', { ...claims, sub: undefined })],
      'a user': ['strict', await issuer.sign('k1', { ...claims, sub: 'system:node:app' })],
      'more parts': ['strict', await issuer.sign('k1', { ...claims, sub: `${sub}:x` })],
      'a slash in the name': ['strict', await issuer.sign('k1', { ...claims, sub: account('prod', 'a/b') })],
      'a star for a name': ['strict', await issuer.sign('k1', { ...claims, sub: account('*', '*') })],
    };
    const before = (await audit('cluster.login')).length;
    for (const [what, [role, jwt]] of Object.entries(tries)) {
      const { status, body } = await login(role, jwt);
      assert.deepEqual([status, body.code, body.message], [...DENIED, 'the role or its JWT is not valid'], what);
    }
    const rows = (await audit('cluster.login')).slice(before);
    assert.equal(rows.length, Object.keys(tries).length);
    assert.equal(rows[0], 'cluster.login | refused | unknown | unknown role');
    assert.ok(
      rows.slice(2).every((row) => row.startsWith('cluster.login | refused | unknown | strict | ')),
      rows.join('\n'),
    );
    assert.ok(!rows.join().includes(payload as string));
    for (const body of [{}, { role: 'strict' }, { jwt: good }, { role: 1, jwt: good }, { role: 'strict', jwt: null }, '{']) {
      assert.deepEqual(refusal(await post('/cluster/login', body)), [400, 'BAD_REQUEST']);
    }
    assert.equal((await login('strict', good)).status, 200);
  });

  test(name('unknown key ids in a loop are no flood for the key set server; a rotated key is found a minute later'), async () => {
    const issuer = await newIssuer();
    await putRole('rotating', issuer);
    await issuer.addKey('k2', 'ES256', false);
    for (let round = 0; round < 3; round++) {
      const jwts = await Promise.all(Array.from({ length: 20 }, (_, index) => issuer.sign('k2', { sub }, { kid: `${round}.${index}` })));
      for (const answer of await Promise.all(jwts.map((jwt) => login('rotating', jwt)))) assert.deepEqual(refusal(answer), DENIED);
    }
    assert.equal(issuer.fetches, 1);
    await issuer.addKey('k3', 'ES384');
    await server.runtime.advance(60_000);
    assert.equal((await login('rotating', await issuer.sign('k3', { sub }))).status, 200);
    assert.equal(issuer.fetches, 2);
  });

  const bad: Record<string, (response: ServerResponse, elsewhere: string) => void> = {
    'redirects to a good one': (response, elsewhere) => void response.writeHead(301, { location: elsewhere }).end(),
    'sends garbage': (response) => void response.end('no JSON'),
    'sends 100 MB': (response) => {
      const chunk = Buffer.alloc(1_000_000, 0x20);
      const send = (left: number) => void (left === 0 ? response.end() : response.write(chunk, () => response.destroyed || send(left - 1)));
      send(100);
    },
    hangs: () => {},
  };
  for (const [what, misbehave] of Object.entries(bad)) {
    test(name(`a key set server that ${what}: 400 like a bad JWT, the cause is in the audit log, and it recovers`), async () => {
      const [issuer, elsewhere] = [await newIssuer(), await newIssuer()];
      issuer.misbehave = (_request, response) => misbehave(response, elsewhere.uri);
      await putRole('unreachable', issuer);
      const jwt = await issuer.sign('k1', { sub });
      const answer = login('unreachable', jwt);
      await until(() => issuer.fetches === 1, 'the server was asked');
      if (what === 'hangs') await server.runtime.advance(5_000);
      assert.deepEqual(refusal(await answer), DENIED);
      assert.match((await audit('cluster.login')).at(-1) as string, /^cluster\.login \| refused \| unknown \| unreachable \| key set not available: /);
      assert.equal(elsewhere.fetches, 0);
      issuer.misbehave = undefined;
      await server.runtime.advance(60_000);
      assert.equal((await login('unreachable', await issuer.sign('k1', { sub }))).status, 200);
    });
  }

  test(name('a role that is changed counts at once; deleted, it revokes its tokens'), async () => {
    const [issuer, next] = [await newIssuer(), await newIssuer()];
    await putRole('moving', issuer);
    const jwt = await issuer.sign('k1', { sub });
    const token = (await login('moving', jwt)).body.auth.client_token;
    await putRole('moving', next);
    assert.deepEqual(refusal(await login('moving', jwt)), DENIED);
    assert.equal((await login('moving', await next.sign('k1', { sub }))).status, 200);
    await putRole('moving', issuer, { bound_service_account_names: ['other'] });
    assert.equal((await login('moving', jwt)).status, 403);
    assert.equal((await own('GET', 'lookup', token)).status, 200);
    assert.equal((await admin('DELETE', '/cluster/role/moving')).status, 204);
    assert.equal((await own('GET', 'lookup', token)).status, 403);
    assert.deepEqual(refusal(await login('moving', jwt)), DENIED);
  });

  test(name('a role that is changed while its JWT is verified refuses it'), async () => {
    const issuer = await newIssuer();
    const answers: (() => void)[] = [];
    issuer.misbehave = (request, response) => void answers.push(() => issuer.serve(request, response));
    await putRole('racing', issuer);
    const jwt = await issuer.sign('k1', { sub });
    const answered = login('racing', jwt);
    await until(() => answers.length === 1, 'the server was asked');
    await putRole('racing', issuer, { bound_service_account_names: ['other'] });
    answers[0]?.();
    assert.deepEqual(refusal(await answered), DENIED);
  });

  test(name('a key set over HTTPS, certified by an authority of the configuration'), async () => {
    const tls = { cert: readFileSync(certificate.cert, 'utf8'), key: readFileSync(certificate.key, 'utf8') };
    const issuer = await newIssuer({ tls });
    await putRole('secure', issuer);
    assert.equal((await login('secure', await issuer.sign('k1', { sub }))).status, 200);
  });
}

test('an authority that is configured and not there fails the start', async () => {
  await assert.rejects(startServer({ config: '[auth]\njwks_ca = "nowhere.pem"\n' }), /auth\.jwks_ca: .*nowhere\.pem cannot be read \(ENOENT\)/);
});

test.run();
