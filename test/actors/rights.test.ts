// Every method that changes something for an administrator asks for the right itself, in its own transaction, whatever its caller has looked at before.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { type People, people } from '../people.ts';
import { outcome } from '../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();

const REALM = {
  id: 'r',
  auth_params: {},
  session_max_age_seconds: 1,
  session_max_stale_age_seconds: 1,
  certificate_max_age_seconds: 1,
  password_max_age_seconds: 0,
};
const ADMIN = { id: 'victim', realms: ['r'], userpass: 'ann', jwt: null, fido2: null, digital_credentials: null, client_certificate: null };
const CREDENTIAL = { realm: 'r', username: 'ann', change_password: false, roles: ['mine now'], extra_claims: null, passwordHash: null, comparedWith: null };
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const ROLE = {
  ...{ tokenTtlSeconds: 1, tokenMaxTtlSeconds: 0, tokenPolicies: [], tokenRenewable: true, tokenBoundCidrs: [], tokenNumUses: 0 },
  ...{ secretIdTtlSeconds: 0, secretIdNumUses: 0, secretIdBoundCidrs: [], bindSecretId: true },
};
const CLUSTER_ROLE = { ...ROLE, jwksUrl: 'https://x/', serviceAccountNames: ['*'], serviceAccountNamespaces: ['*'], expectedIssuer: null, audiences: null };

/** Arguments before who it is `by`, as one who wants to do harm would choose them. */
const HARM: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  directory: {
    createRealm: [{ ...REALM, id: 'new' }],
    updateRealm: [REALM],
    deleteRealm: ['r'],
    createAdmin: [{ ...ADMIN, id: 'new' }],
    updateAdmin: [ADMIN],
    deleteAdmin: ['victim'],
    addAdminRealm: ['victim', 'other'],
    removeAdminRealm: ['victim', 'r'],
    createCredential: [{ ...CREDENTIAL, username: 'new', passwordHash: 'x' }],
    updateCredential: [CREDENTIAL],
    deleteCredential: ['r', 'ann'],
    unlock: ['r', 'ann'],
    enableTotp: [{ realm: 'r', username: 'ann', secret: SECRET, code: '000000', currentCode: undefined }],
    disableTotp: ['r', 'ann', undefined],
  },
  session: { end: [[]], endRealm: ['r'], purge: [] },
  token: {
    putRole: ['web', ROLE],
    deleteRole: ['web'],
    revokeTokens: ['web'],
    revokeClusterTokens: ['pods'],
    revokeByAccessor: ['approle', 'web', 'x'],
    createSecretId: [{ role: 'web', digest: 'x', accessor: 'x', ttlSeconds: 0, numUses: 0, boundCidrs: [], tokenBoundCidrs: [] }],
    destroySecretId: ['web', 'x'],
    putClusterRole: ['pods', CLUSTER_ROLE],
    deleteClusterRole: ['pods'],
  },
};

/** Methods of an actor that change something for somebody. */
function changing(actor: string): string[] {
  const api = readFileSync(new URL(`../../actors/${actor}/api.ts`, import.meta.url), 'utf8');
  return [...api.matchAll(/^ {2}(\w+)\([^\n]*\bby: \w+\)/gm)].map(([, method]) => method as string);
}

test('every method that is told who does it is here', () => {
  for (const [actor, methods] of Object.entries(HARM)) assert.deepEqual(changing(actor).sort(), Object.keys(methods).sort(), actor);
  assert.ok(changing('directory').length > 10);
});

for (const database of databases) {
  let server: TestServer;
  let they: People;
  let session: string;
  const name = (text: string) => `${database.dialect}: ${text}`;
  // biome-ignore lint/suspicious/noExplicitAny: methods are called by their names.
  const actor = (of: string): any => {
    const ref = server.runtime.ref(of) as never as { at?(key: string): unknown; of?(key: string): unknown };
    return ref.at ? ref.at('main') : ref.of?.('x');
  };
  /** What of the database matters here. */
  const everything = async () => {
    const paths = [
      '/admins/realms',
      '/admins',
      '/admins/userpass',
      '/auth/approle/role/web',
      '/auth/approle/role/web/secret-id',
      '/auth/cluster/role',
      `/sessions/${session}`,
    ];
    return Promise.all(paths.map(async (path) => (await server.ask('GET', path, { cookie: they.root })).body));
  };

  test(name('what there is to harm'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    for (const realm of ['r', 'other']) await they.realm(realm);
    await they.user('r', 'ann', 'ann password');
    await they.realmAdmin('other', 'eve');
    assert.equal((await server.ask('POST', '/admins', { cookie: they.root, body: ADMIN })).status, 201);
    assert.equal((await server.ask('POST', '/auth/approle/role/web', { cookie: they.root, body: {} })).status, 204);
    session = (await they.signIn('r', 'ann', 'ann password')).body.session_id;
  });

  test(name('it is refused to one without a right, and to an administrator of another realm'), async () => {
    const before = await everything();
    for (const by of [
      { realm: '_', username: 'nobody', account: '_/nobody', scheme: 'up', source: 'here' },
      { realm: 'other', username: 'eve', account: 'other/eve', scheme: 'up', source: 'here' },
      { realm: 'r', username: 'admin', account: 'r/admin', scheme: 'up', source: 'here' },
      { realm: '_', username: 'admin', account: '_/jwt:admin', scheme: 'jwt', source: 'here' },
    ])
      for (const [of, methods] of Object.entries(HARM))
        for (const [method, given] of Object.entries(methods)) {
          const args = method === 'end' ? [[session]] : given;
          assert.equal(await outcome(actor(of)[method](...args, by)), 'FORBIDDEN', `${of}.${method} by ${by.realm}/${by.username}`);
        }
    assert.deepEqual(await everything(), before);
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
