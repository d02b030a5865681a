// Credentials in the header of KMIP messages: checked where they are given, the same identity as the certificate or session, and with the limits and locks of a sign-in.
import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type People, people } from '../../people.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { signInAdmin } from '../../server.ts';
import { KmipClient } from './kmip-client.ts';

const PASSWORD = 'the password of a user';
const LOCKING = '[auth]\nlockout_failures = 3\n';

let server: SecureServer;
let all: People;
const agents: Agent[] = [];
test.before(async () => {
  server = await startSecureServer({ config: `${LOCKING}[keys]\nrealm = "main"\n` });
  all = people(server, await signInAdmin(server));
  for (const realm of ['main', 'other']) {
    await all.realm(realm);
    for (const user of ['alice', 'bob', 'carol', 'dora']) await all.user(realm, user, PASSWORD);
  }
});
test.after(async () => {
  for (const agent of agents) await agent.close();
  await server?.end();
});

type Version = readonly [number, number];
const V14: Version = [1, 4];

async function withCertificate(name: string, [major, minor] = V14, of = server): Promise<KmipClient> {
  const { cert, key } = await of.client(name);
  const agent = new Agent({ connect: { ca: of.authority.cert, cert, key } });
  agents.push(agent);
  return new KmipClient({ address: of.address, agent }, { major, minor, encoding: 'binary' });
}

const authentication = (...credentials: Structure[]) => structure(TAG.Authentication, credentials);
const credential = (type: keyof typeof ENUM.CredentialType, ...members: Node[]) =>
  structure(TAG.Credential, [enumeration(TAG.CredentialType, ENUM.CredentialType[type]), structure(TAG.CredentialValue, members)]);
const password = (username: string, secret?: string) =>
  authentication(credential('UsernameAndPassword', text(TAG.Username, username), ...(secret === undefined ? [] : [text(TAG.Password, secret)])));

async function asks(client: KmipClient, header: Node): Promise<{ status: string; reason: string | undefined; message: string | undefined }> {
  const { status, reason, item } = await client.askWith([header], 'Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations));
  return { status, reason, message: textOf(item, TAG.ResultMessage) };
}
const isServed = async (client: KmipClient, header: Node) => assert.equal((await asks(client, header)).status, 'Success');
async function isRefused(client: KmipClient, header: Node, about: RegExp = /refused/): Promise<void> {
  const { status, reason, message } = await asks(client, header);
  assert.deepEqual([status, reason], ['OperationFailed', 'AuthenticationNotSuccessful']);
  assert.match(message ?? '', about);
}

for (const version of [[1, 0], V14, [2, 1]] as const)
  test(`the right password of who shows the certificate is served, any other is not: KMIP ${version.join('.')}`, async () => {
    const alice = await withCertificate('alice', version);
    await isServed(alice, password('alice', PASSWORD));
    await isServed(alice, password('main/alice', PASSWORD));
    await isRefused(alice, password('alice', 'another password'));
    await isRefused(alice, password('alice'));
    await isServed(alice, password('alice', PASSWORD));
  });

test('what is refused is not done', async () => {
  const client = await withCertificate('alice');
  const create = [
    enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey),
    client.attributes(
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 128),
      integer(TAG.CryptographicUsageMask, 4),
      text(TAG.ContactInformation, 'nobody made me'),
    ),
  ];
  const { reason } = await client.askWith([password('alice', 'another password')], 'Create', ...create);
  assert.equal(reason, 'AuthenticationNotSuccessful');
  assert.equal((await client.do('Locate', ...client.conditions(text(TAG.ContactInformation, 'nobody made me')))).value.length, 1);
  await client.askWith([password('alice', PASSWORD)], 'Create', ...create);
  assert.equal((await client.do('Locate', ...client.conditions(text(TAG.ContactInformation, 'nobody made me')))).value.length, 2);
});

test("another's credentials are refused though they are right, in the words of those of nobody", async () => {
  const alice = await withCertificate('alice');
  const own = /must belong to the user of the certificate or session/;
  for (const username of ['bob', 'nobody at all', 'other/alice', 'other/bob', '']) await isRefused(alice, password(username, PASSWORD), own);
  // A certificate of whom there is no user: a password is looked for, and the words are those of a wrong one.
  await isRefused(await withCertificate('unknown'), password('unknown', PASSWORD));
});

test('what is not served is refused by its name', async () => {
  const alice = await withCertificate('alice', [2, 1]);
  const nonce = structure(TAG.Nonce, [bytes(TAG.NonceID, Buffer.alloc(4)), bytes(TAG.NonceValue, Buffer.alloc(8))]);
  await isRefused(
    alice,
    authentication(credential('Device', text(TAG.DeviceIdentifier, 'a device'), text(TAG.Password, PASSWORD))),
    /Device are not supported/,
  );
  await isRefused(alice, authentication(credential('Attestation', nonce, enumeration(TAG.AttestationType, 1))), /Attestation are not supported/);
  await isRefused(alice, authentication(credential('HashedPassword', text(TAG.Username, 'alice'))), /HashedPassword are not supported/);
  const ticket = structure(TAG.Ticket, [enumeration(TAG.TicketType, ENUM.TicketType.Login), bytes(TAG.TicketValue, Buffer.alloc(32))]);
  const right = credential('UsernameAndPassword', text(TAG.Username, 'alice'), text(TAG.Password, PASSWORD));
  await isRefused(alice, authentication(right, credential('Ticket', ticket)), /more than one credential/);
  await isRefused(alice, authentication(right, right), /more than one credential/);
  const empty = await asks(alice, authentication());
  assert.deepEqual([empty.status, empty.reason], ['OperationFailed', 'InvalidMessage']);
});

/** A RequestMessage in JSON. */
const inJson = (username: string, secret: string) => ({
  tag: 'RequestMessage',
  value: [
    {
      tag: 'RequestHeader',
      value: [
        {
          tag: 'ProtocolVersion',
          value: [
            { tag: 'ProtocolVersionMajor', type: 'Integer', value: 2 },
            { tag: 'ProtocolVersionMinor', type: 'Integer', value: 1 },
          ],
        },
        {
          tag: 'Authentication',
          value: [
            {
              tag: 'Credential',
              value: [
                { tag: 'CredentialType', type: 'Enumeration', value: 'UsernameAndPassword' },
                {
                  tag: 'CredentialValue',
                  value: [
                    { tag: 'Username', type: 'TextString', value: username },
                    { tag: 'Password', type: 'TextString', value: secret },
                  ],
                },
              ],
            },
          ],
        },
        { tag: 'BatchCount', type: 'Integer', value: 1 },
      ],
    },
    {
      tag: 'BatchItem',
      value: [
        { tag: 'Operation', type: 'Enumeration', value: 'Query' },
        { tag: 'RequestPayload', value: [{ tag: 'QueryFunction', type: 'Enumeration', value: 'QueryOperations' }] },
      ],
    },
  ],
});

test('the credentials of a session are those of its realm, and a session without a password has none', async () => {
  const reasonOf = async (cookie: string, username: string, secret: string) => {
    const { status, text: answer } = await server.ask('POST', '/kmip/2_1', { cookie, body: inJson(username, secret) });
    assert.equal(status, 200);
    return /"ResultReason"[^}]*"value":\s*"(\w+)"/.exec(answer)?.[1] ?? 'Success';
  };
  const session = await all.session('other', 'alice', PASSWORD);
  assert.equal(await reasonOf(session, 'alice', PASSWORD), 'Success');
  assert.equal(await reasonOf(session, 'other/alice', PASSWORD), 'Success');
  assert.equal(await reasonOf(session, 'main/alice', PASSWORD), 'AuthenticationNotSuccessful');
  assert.equal(await reasonOf(session, 'alice', 'another password'), 'AuthenticationNotSuccessful');
});

test('wrong passwords in headers lock like wrong sign-ins, and the other way round', async () => {
  const carol = await withCertificate('carol');
  for (let tries = 0; tries < 3; tries++) await isRefused(carol, password('carol', `guess ${tries}`));
  await isRefused(carol, password('carol', PASSWORD));
  assert.equal((await all.signIn('main', 'carol', PASSWORD)).status, 401);
  const dora = await withCertificate('dora');
  for (let tries = 0; tries < 3; tries++) await all.signIn('main', 'dora', `guess ${tries}`);
  await isRefused(dora, password('dora', PASSWORD));
  await server.runtime.advance(16 * 60_000);
  await isServed(dora, password('dora', PASSWORD));
});

test('a user with a second factor, or with a password to be changed, signs in elsewhere', async () => {
  await all.user('main', 'erik', PASSWORD);
  const erik = await withCertificate('erik');
  await isServed(erik, password('erik', PASSWORD));
  await all.enrol('main', 'erik', await all.session('main', 'erik', PASSWORD));
  await isRefused(erik, password('erik', PASSWORD));
  await all.user('main', 'fritz', PASSWORD, { change_password: true });
  await isRefused(await withCertificate('fritz'), password('fritz', PASSWORD));
});

test('refusals are in the audit log, without the password', async () => {
  await isRefused(await withCertificate('bob'), password('bob', 'a guess nobody should read'));
  const { text: rows } = await server.ask('GET', '/audit?limit=1000', { cookie: all.root });
  assert.match(rows, /"event":\s*"login"/);
  assert.ok(!rows.includes('a guess nobody should read') && !server.lines.join('\n').includes('a guess nobody should read'));
});

test('sign-ins in headers and at /login have one limit for an address', async () => {
  const env = { GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1', GATEHOUSE_AUTH_LOGIN_RATE_BURST: '4' };
  const limited = await startSecureServer({ env, config: '[keys]\nrealm = "_"\n' });
  try {
    await signInAdmin(limited, PASSWORD);
    const admin = await withCertificate('admin', V14, limited);
    const begun = performance.now();
    const login = () => limited.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
    const [inHeaders, atLogin] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => asks(admin, password('admin', PASSWORD)))),
      Promise.all(Array.from({ length: 8 }, login)),
    ]);
    const refused = inHeaders.filter(({ message }) => /too many/.test(message ?? ''));
    assert.ok(refused.every(({ reason }) => reason === 'AuthenticationNotSuccessful'));
    const admitted = inHeaders.length - refused.length + atLogin.filter(({ status }) => status !== 429).length;
    assert.ok(refused.length > 0 && admitted <= 4 + Math.ceil((performance.now() - begun) / 1_000), String(admitted));
    // Without credentials nothing is counted.
    assert.equal((await admin.ask('Query', enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations))).status, 'Success');
  } finally {
    await limited.end();
  }
});

test('where they are ignored the certificate alone says who the client is', async () => {
  const ignoring = await startSecureServer({ config: '[keys]\nrealm = "main"\nheader_credentials = "ignored"\n' });
  try {
    await isServed(await withCertificate('alice', V14, ignoring), password('appliance', 'of all devices'));
  } finally {
    await ignoring.end();
  }
});

test('without a realm of bare names a certificate has no password', async () => {
  const plain = await startSecureServer();
  try {
    await isRefused(await withCertificate('alice', V14, plain), password('alice', PASSWORD), /must belong to the user of/);
  } finally {
    await plain.end();
  }
});

test.run();
