// Sign-in by client certificate over real TLS: which realms, which names, which certificates, also on sessions that TLS resumes.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { Agent } from 'undici';
import { test } from 'uvu';
import { CLIENT_AUTH, DAY_MS, type Made, makeCertificate, revocationList, SERVER_AUTH } from '../../certificates.ts';
import { until } from '../../runtime.ts';
import { type Ask, asker, startServer, type TestServer, temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const ca = await makeCertificate('CN=ca');
const client = (name: string, options = {}) => makeCertificate(`CN=${name}`, { issuer: ca, usage: CLIENT_AUTH, ...options });
const own = await makeCertificate('CN=server', { issuer: ca, usage: SERVER_AUTH, names: ['127.0.0.1'] });
const [ann, root, ben] = [await client('ann'), await client('root by card'), await client('ben')];
const revoked = await client('revoked');
const paths = { cert: file('server.pem', own.cert), key: file('server.key', own.key), ca: file('ca.pem', ca.cert) };
const crl = file('crl.pem', await revocationList(ca, [revoked]));
const TLS = `[http.tls]\ncert = "${paths.cert}"\nkey = "${paths.key}"\nclient_ca = "${paths.ca}"\nclient_crl = "${crl}"\n`;

let server: TestServer;
let admin: string;
const agents: Agent[] = [];

/** Asks as the holder of a certificate, on connections of its own. */
function as(made?: Made): Ask {
  const agent = new Agent({ connect: { ca: ca.cert, ...(made ? { cert: made.cert, key: made.key } : {}) } });
  agents.push(agent);
  return asker(server.address, agent);
}

/** A server with these certificates; the answers of `server.ask` would not be trusted, so nothing is asked through it. */
async function start(config: string): Promise<TestServer> {
  const dataDir = join(temporaryFolder(), 'data');
  await (await startServer({ dataDir })).end();
  return startServer({ dataDir, config });
}

async function signInAdmin(): Promise<string> {
  const { cookie } = await as()('POST', '/login?realm=_', { user: `admin:${server.initialPassword}`, body: { new_password: 'a new password' } });
  return cookie as string;
}

test.before(async () => {
  server = await start(`${TLS}[auth]\ncertificate_realms = ["r"]\n`);
  admin = await signInAdmin();
  for (const id of ['r', 'closed']) assert.equal((await as()('POST', '/admins/realms', { cookie: admin, body: { id } })).status, 201);
});
test.after(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

test('POST /login with a client certificate alone: Authenticated as its common name, scheme cc', async () => {
  const ask = as(ann);
  const { status, body, cookie } = await ask('POST', '/login?realm=r');
  assert.deepEqual([status, body.next_step], [200, 'Authenticated']);
  const me = (await as()('GET', '/whoami', { cookie })).body;
  assert.deepEqual([me.as_as, me.sub, me.as_rid, me.roles, me.aud], ['cc', 'ann', 'r', [], ['r']]);
  assert.equal((await as()('GET', `/sessions/${body.session_id}`, { cookie })).body.auth_scheme, 'cc');
});

test('a common name is one name, composed or not, and the record of an admin finds it', async () => {
  const decomposed = as(await client('re\u0301ne'));
  const { body, cookie } = await decomposed('POST', '/login?realm=r');
  assert.equal((await as()('GET', '/whoami', { cookie })).body.sub, 'r\u00e9ne');
  const listed = await as()('POST', '/sessions/realms/r/clients', { cookie: admin, body: [{ username: 'r\u00e9ne', auth_scheme: 'cc' }] as never });
  assert.deepEqual(listed.body.session_ids, [body.session_id]);
  const record = { id: 'rene', realms: ['_'], client_certificate: 're\u0301ne' };
  assert.equal((await as()('POST', '/admins', { cookie: admin, body: record })).body.client_certificate, 'r\u00e9ne');
  assert.equal((await decomposed('POST', '/login?realm=_')).status, 200);
  assert.equal((await as()('DELETE', '/admins/rene', { cookie: admin })).status, 204);
});

test('a common name may have 255 characters, whatever their encoding', async () => {
  const long = '\u{1f600}'.repeat(255);
  const { status, cookie } = await as(await client(long))('POST', '/login?realm=r');
  assert.equal(status, 200);
  assert.equal((await as()('GET', '/whoami', { cookie })).body.sub, long);
});

test('only the realms of certificate_realms, and realm _ only for a name that an admin record holds', async () => {
  for (const realm of ['closed', 'nowhere', '_']) assert.equal((await as(root)('POST', `/login?realm=${realm}`)).status, 401, realm);
  const record = { id: 'card', realms: ['_'], client_certificate: 'root by card' };
  assert.equal((await as()('POST', '/admins', { cookie: admin, body: record })).status, 201);
  const { status, cookie } = await as(root)('POST', '/login?realm=_');
  assert.equal(status, 200);
  assert.equal((await as()('GET', '/admins', { cookie })).status, 200);
  // The record opens realm `_`, and no realm that takes no certificates.
  assert.equal((await as(root)('POST', '/login?realm=closed')).status, 401);
  // Names of admins that are no certificate names open nothing.
  for (const name of ['admin', 'card']) assert.equal((await as(await client(name))('POST', '/login?realm=_')).status, 401, name);
  // Taken away, it is gone for the very next request, and so is the session.
  assert.equal((await as()('DELETE', '/admins/card', { cookie: admin })).status, 204);
  assert.equal((await as()('GET', '/admins', { cookie })).status, 401);
  assert.equal((await as(root)('POST', '/login?realm=_')).status, 401);
});

test('the certificate of an admin of another realm opens that realm only', async () => {
  const record = { id: 'ben', realms: ['r'], client_certificate: 'ben' };
  assert.equal((await as()('POST', '/admins', { cookie: admin, body: record })).status, 201);
  assert.equal((await as(ben)('POST', '/login?realm=_')).status, 401);
  const { cookie } = await as(ben)('POST', '/login?realm=r');
  assert.deepEqual([(await as()('GET', '/admins/realms/r', { cookie })).status, (await as()('GET', '/admins/realms/closed', { cookie })).status], [200, 403]);
});

test('an Authorization header decides, also beside a good certificate', async () => {
  const ask = as(ann);
  for (const authorization of ['Basic ****', 'Bearer x', 'Negotiate x', '', `Basic ${Buffer.from('ann:guess').toString('base64')}`])
    assert.equal((await ask('POST', '/login?realm=r', { headers: { authorization } })).status, 401, authorization);
  assert.equal((await ask('POST', '/login?realm=r')).status, 200);
});

test('a certificate is no credential of any other endpoint of the service', async () => {
  for (const path of ['/whoami', '/admins', '/admins/realms', '/audit']) assert.equal((await as(ann)('GET', path)).status, 401, path);
});

test('foreign, expired, of the wrong use, revoked or without one plain name: 401, the audit log says why', async () => {
  const foreign = await makeCertificate('CN=ca');
  const noName = 'it must have exactly one common name, which a user can have';
  const refused: readonly (readonly [Made, string])[] = [
    [await makeCertificate('CN=ann', { issuer: foreign, usage: CLIENT_AUTH }), 'CERT_SIGNATURE_FAILURE'],
    [await makeCertificate('CN=ann', { usage: CLIENT_AUTH }), 'UNABLE_TO_GET_CRL'],
    [await client('ann', { days: -1 }), 'CERT_HAS_EXPIRED'],
    [await client('ann', { usage: SERVER_AUTH }), 'INVALID_PURPOSE'],
    [await makeCertificate('O=ann', { issuer: ca, usage: CLIENT_AUTH }), noName],
    [await client('r/ann'), noName],
    // No path could name them, and one of them means everybody.
    ...(await Promise.all(['.', '..', '*'].map(async (name) => [await client(name), noName] as const))),
    [await client('x'.repeat(256)), noName],
    [revoked, 'CERT_REVOKED'],
  ];
  for (const [made, why] of refused) {
    const message = `the client certificate is not accepted: ${why}`;
    const { status, body } = await as(made)('POST', '/login?realm=r');
    assert.deepEqual([status, body.code, body.message], [401, 'AUTH_DENIED', 'the credentials are not valid'], made.certificate.subject);
    const { events } = (await as()('GET', '/audit?event=login&limit=1000', { cookie: admin })).body;
    assert.ok(
      (events as readonly { reason: string }[]).some(({ reason }) => reason === message),
      message,
    );
    for (const path of ['/me', '/whoami']) assert.equal((await as(made)('GET', path)).body.message, 'authentication is required', path);
  }
  const { status, body } = await as()('POST', '/login?realm=r');
  assert.deepEqual([status, body.message], [401, 'the credentials are not valid']);
});

/** Opens a connection and posts a login on it, or asks something else. @returns the status line's code, and the ticket for the next connection */
function loginOver(
  made: Made,
  { address = server.address, asks = 'POST /login?realm=r', ...options }: ConnectionOptions & { readonly address?: string; readonly asks?: string },
): Promise<{ status: number; session: Buffer | undefined; resumed: boolean }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let session: Buffer | undefined;
    let text = '';
    let resumed = false;
    const socket: TLSSocket = connect({ host: hostname, port: Number(port), ca: ca.cert, cert: made.cert, key: made.key, ...options }, () => {
      resumed = socket.isSessionReused();
      socket.write(`${asks} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
    socket.on('session', (ticket) => {
      session = ticket;
    });
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(text.split(' ')[1]), session, resumed }));
  });
}

for (const [version, days] of [
  ['TLSv1.2', 1],
  ['TLSv1.3', 3],
] as const satisfies readonly (readonly [SecureVersion, number])[]) {
  test(`a certificate that has expired since is refused on a resumed session of ${version}`, async () => {
    const brief = await client('brief', { days });
    const over = { minVersion: version, maxVersion: version };
    const first = await loginOver(brief, over);
    assert.deepEqual([first.status, first.resumed, first.session !== undefined], [200, false, true]);
    const resumed = await loginOver(brief, { ...over, session: first.session as Buffer });
    assert.deepEqual([resumed.status, resumed.resumed], [200, true]);
    await server.runtime.advance(2 * DAY_MS);
    const late = await loginOver(brief, { ...over, session: (resumed.session ?? first.session) as Buffer });
    assert.equal(late.status, 401);
    assert.equal((await loginOver(ann, over)).status, 200);
  });
}

test('an authority that has expired since ends its certificates, on open connections and resumed sessions', async () => {
  const between = await makeCertificate('CN=between', { issuer: ca, isAuthority: true, days: 5 });
  const under = await makeCertificate('CN=under', { issuer: between, usage: CLIENT_AUTH });
  const above = await start(`[http.tls]\ncert = "${paths.cert}"\nkey = "${paths.key}"\nclient_ca = "${file('both.pem', `${ca.cert}\n${between.cert}`)}"\n`);
  const agent = new Agent({ connect: { ca: ca.cert, cert: under.cert, key: under.key } });
  const status = async () => (await asker(above.address, agent)('GET', '/me')).status;
  const over = { address: above.address, asks: 'GET /me', minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const;
  const first = await loginOver(under, over);
  assert.deepEqual([first.status, await status()], [200, 200]);
  await above.runtime.advance(4 * DAY_MS);
  assert.equal(await status(), 200);
  await above.runtime.advance(2 * DAY_MS);
  assert.equal(await status(), 401);
  const late = await loginOver(under, { ...over, session: first.session as Buffer });
  assert.deepEqual([late.status, late.resumed], [401, true]);
  await agent.close();
  await above.end();
});

test('a certificate that is revoked under way is refused on open connections and resumed sessions too', async () => {
  const late = await client('late');
  const ask = as(late);
  const over = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const;
  const { session } = await loginOver(late, over);
  assert.equal((await ask('POST', '/login?realm=r')).status, 200);
  file('crl.pem', await revocationList(ca, [revoked, late]));
  const refused = async () => {
    const { status } = await ask('POST', '/login?realm=r').catch(() => ({ status: 0 }));
    return status === 401;
  };
  await until(refused, 'the open connection is refused', 15_000);
  assert.equal((await loginOver(late, { ...over, session: session as Buffer })).status, 401);
  assert.equal((await as(ann)('POST', '/login?realm=r')).status, 200);
});

test('client_crl holds the list of each authority of a chain, in any order', async () => {
  const between = await makeCertificate('CN=between', { issuer: ca, isAuthority: true });
  const under = async (name: string) => {
    const made = await makeCertificate(`CN=${name}`, { issuer: between, usage: CLIENT_AUTH });
    return { ...made, cert: `${made.cert}\n${between.cert}` };
  };
  const [good, gone] = [await under('good'), await under('gone')];
  const lists = [await revocationList(ca, [ben]), await revocationList(between, [gone])];
  for (const each of [lists, lists.toReversed()]) {
    const path = file('lists.pem', each.join('\n'));
    const other = await start(TLS.replace(crl, path));
    const status = async (made: Made) => {
      const agent = new Agent({ connect: { ca: ca.cert, cert: made.cert, key: made.key } });
      agents.push(agent);
      return (await asker(other.address, agent)('GET', '/me')).status;
    };
    assert.deepEqual([await status(ann), await status(ben), await status(good), await status(gone)], [200, 401, 200, 401]);
    await other.end();
  }
});

test('a client certificate of the last super admin counts only if the server asks for certificates', async () => {
  const toCard = { realms: ['_'], client_certificate: 'root by card' };
  admin = (await as()('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
  assert.equal((await as()('PUT', '/admins/admin', { cookie: admin, body: { ...toCard, userpass: 'admin' } })).status, 200);
  const { cookie } = await as(root)('POST', '/login?realm=_');
  assert.equal((await as()('PUT', '/admins/admin', { cookie: admin, body: toCard })).status, 200);
  // The password's record is gone, and with it the sessions by password.
  assert.deepEqual([(await as()('GET', '/admins', { cookie: admin })).status, (await as()('GET', '/admins', { cookie })).status], [401, 200]);
  assert.equal((await as()('PUT', '/admins/admin', { cookie, body: { realms: ['_'], client_certificate: null } })).status, 409);
  const without = await startServer();
  const login = await without.ask('POST', '/login?realm=_', { user: `admin:${without.initialPassword}`, body: { new_password: 'a new password' } });
  assert.equal((await without.ask('PUT', '/admins/admin', { cookie: login.cookie, body: toCard })).status, 409);
  await without.end();
});

test.run();
