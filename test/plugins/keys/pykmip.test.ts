// PyKMIP as Debian has it, unmodified, against the listener: what pykmip.py does in each of its versions, and what comes of it.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createCipheriv, generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { PYTHON, skipWithout } from '../../system.ts';

const SCRIPT = fileURLToPath(new URL('pykmip.py', import.meta.url));
const LIMIT_MS = 120_000;
const MESSAGE = 'All that is gold does not glitter';
const IV = Buffer.from(Array.from({ length: 16 }, (_, index) => index));
const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '2.0'];

type Line = { readonly version: string; readonly step: string; readonly ok?: unknown; readonly error?: string };
/** What a step must bring: a value, or a look at it. Since which version it is done, and up to which. */
type Step = readonly [step: string, expected: unknown, since?: string, until?: string];

const isIdentifier = (value: unknown) => assert.match(String(value), /^[0-9a-f-]{36}$/);
const isHex = (bytes: number) => (value: unknown) => assert.match(String(value), new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const includes =
  (...names: string[]) =>
  (value: unknown) =>
    assert.deepEqual(
      names.filter((name) => !(value as string[]).includes(name)),
      [],
    );
const ATTRIBUTES = [
  'Cryptographic Algorithm',
  'Cryptographic Length',
  'Cryptographic Usage Mask',
  'Digest',
  'Initial Date',
  'Last Change Date',
  'Name',
  'State',
];
/** What came later than the first version has an older word in the versions before. */
const reasonBy = (since: string, name: string, before: string) => (value: unknown, version: string) => assert.equal(value, version >= since ? name : before);

const STEPS: readonly Step[] = [
  ['DiscoverVersions', ['2.1', '2.0', '1.4', '1.3', '1.2', '1.1', '1.0'], '1.1'],
  ['DiscoverVersions of one', 1, '1.1'],
  [
    'Query',
    (value: unknown) => {
      const { operations, vendor } = value as { operations: string[]; vendor: string };
      includes('CREATE', 'REGISTER', 'LOCATE', 'REKEY', 'DESTROY', 'QUERY')(operations);
      assert.equal(vendor, 'gatehouse');
    },
  ],
  ['Create', isIdentifier],
  ['Get', isHex(32)],
  ['Locate by name', true],
  ['Locate by kind', true],
  ['GetAttributes', includes(...ATTRIBUTES), '1.0', '1.1'],
  [
    'GetAttributes by name',
    (value: unknown, version: string) => {
      const { 'Unique Identifier': id, ...others } = value as Record<string, string>;
      isIdentifier(id);
      assert.deepEqual(others, {
        'Cryptographic Algorithm': 'CryptographicAlgorithm.AES',
        'Cryptographic Length': '256',
        'Cryptographic Usage Mask': '572',
        Name: `KMIP ${version} key`,
        'Object Type': 'ObjectType.SYMMETRIC_KEY',
        State: 'State.PRE_ACTIVE',
      });
    },
  ],
  ['GetAttributeList', includes(...ATTRIBUTES)],
  [
    'Encrypt before activation',
    (value: unknown, version: string) =>
      assert.equal(value, version < '1.2' ? 'OPERATION_NOT_SUPPORTED' : version < '2.0' ? 'PERMISSION_DENIED' : 'WRONG_KEY_LIFECYCLE_STATE'),
  ],
  ['Activate', true],
  ['Check', true],
  ['Encrypt CBC', isHex(48), '1.2'],
  ['Encrypt ECB', isHex(48), '1.2'],
  ['Encrypt CTR', isHex(MESSAGE.length), '1.2'],
  ['Encrypt with a nonce of the server', 16, '1.2'],
  ['Create HMAC', isIdentifier, '1.2'],
  ['MAC', 32, '1.2'],
  ['Register wrapped', true, '1.1'],
  ['DeriveKey', 16, '1.2'],
  ['ReKey', isIdentifier],
  ['ReKey moves the name', true],
  ['SetAttribute', true, '2.0'],
  ['ModifyAttribute', true],
  ['DeleteAttribute', true],
  ['Locate what was deleted', []],
  ['Create with attributes of every form', true],
  ['Locate by group', 1],
  ['Locate by application', 1],
  ['CreateKeyPair', (value: unknown) => (value as unknown[]).forEach(isIdentifier)],
  ['Get public and private', ['PKCS_1', 'PKCS_1']],
  ['Sign PKCS1v15', ['VALID', 'INVALID'], '1.2'],
  ['Sign PSS', ['VALID', 'INVALID'], '1.2'],
  ['Encrypt OAEP', true, '1.2'],
  ['ReKeyKeyPair', true, '1.1'],
  ...['SymmetricKey', 'PrivateKey', 'X509Certificate', 'SecretData', 'OpaqueObject'].map((name): Step => [`Register ${name}`, true]),
  ['Register SplitKey', 1],
  ['Destroy what is active', reasonBy('2.0', 'WRONG_KEY_LIFECYCLE_STATE', 'PERMISSION_DENIED')],
  ['Revoke', true],
  ['Destroy', true],
  ['Get what is destroyed', reasonBy('2.0', 'OBJECT_DESTROYED', 'ITEM_NOT_FOUND')],
  ['Get what never was', reasonBy('2.0', 'OBJECT_NOT_FOUND', 'ITEM_NOT_FOUND')],
  ['Revoke as compromised', true],
  ['Destroy all', true],
];

/** What keeps PyKMIP from working at all with the Python that is here. */
function tooNew(): string | undefined {
  const { status, stderr } = spawnSync(PYTHON, ['-c', 'import ssl; ssl.wrap_socket; from kmip.pie import client'], { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim().split('\n').at(-1);
}

async function runScript(server: SecureServer): Promise<Line[]> {
  const listening = server.announcements.find((text) => text.startsWith('KMIP listener on tls://'));
  const { port } = new URL(listening?.slice('KMIP listener on '.length) as string);
  const ann = await server.client('ann@acme.com');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const certificate = server.file('ann.pem', ann.cert);
  const settings = {
    ...{
      host: '127.0.0.1',
      port,
      certfile: certificate,
      keyfile: server.file('ann.key', ann.key),
      ca_certs: server.file('authority.pem', server.authority.cert),
    },
    ...{ cert_reqs: 'CERT_REQUIRED', ssl_version: 'PROTOCOL_SSLv23', do_handshake_on_connect: 'True', suppress_ragged_eofs: 'True' },
    // Sent as a Credential with every message; who the client is, its certificate says.
    ...{ username: 'somebody', password: 'else' },
  };
  const text = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const args = [SCRIPT, server.file('pykmip.conf', `[client]\n${text.join('\n')}\n`), server.file('rsa.pem', rsa), certificate];
  const { stdout } = await promisify(execFile)(PYTHON, args, { timeout: LIMIT_MS, env: { HOME: '/nonexistent' } });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

if (skipWithout('python3-pykmip')) test.skip('PyKMIP');
else {
  const reason = tooNew();
  if (reason !== undefined) {
    console.log(`skipped: pykmip.test.ts: PyKMIP does not work with the Python that is here: ${reason}`);
    test.skip('PyKMIP');
  } else addTests();
}

function addTests(): void {
  let server: SecureServer;
  let lines: Line[];
  test.before(async () => {
    server = await startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
    lines = await runScript(server);
  });
  test.after(() => server?.end());

  for (const version of VERSIONS) {
    test(`KMIP ${version}: everything that PyKMIP has`, () => {
      const own = lines.filter((line) => line.version === version);
      const wanted = STEPS.filter(([, , since = '1.0', until = '2.0']) => version >= since && version <= until);
      for (const [step, expected] of wanted) {
        const line = own.find((each) => each.step === step);
        assert.ok(line && 'ok' in line, `${step}: ${line?.error ?? 'it was not done'}`);
        if (typeof expected === 'function') (expected as (value: unknown, version: string) => void)(line.ok, version);
        else assert.deepEqual(line.ok, expected, step);
      }
      assert.deepEqual(own.map(({ step }) => step).sort(), wanted.map(([step]) => step).sort());
    });
  }

  test('what PyKMIP had encrypted is what AES makes of it under the key it got', () => {
    for (const version of VERSIONS.filter((each) => each >= '1.2')) {
      const result = (step: string) => String(lines.find((line) => line.version === version && line.step === step)?.ok);
      const key = Buffer.from(result('Get'), 'hex');
      for (const [mode, iv] of Object.entries({ CBC: IV, ECB: null, CTR: IV })) {
        const cipher = createCipheriv(`aes-256-${mode.toLowerCase()}`, key, iv);
        assert.equal(Buffer.concat([cipher.update(MESSAGE), cipher.final()]).toString('hex'), result(`Encrypt ${mode}`), `${version} ${mode}`);
      }
    }
  });
}

test.run();
