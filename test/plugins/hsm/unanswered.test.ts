// Calls that an HSM does not answer, because its process crashes: each has a row in the audit log, as a refusal has, and holds up no rotation of others.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, type Faulty, pair, startFaulty } from './faulty-server.ts';
import { bytes, done, enumeration, identifier, integer, type Json, kmip, structure } from './hsm-server.ts';

type Row = Record<'event' | 'outcome' | 'reason' | 'target' | 'actor' | 'request_id', string>;

async function rows({ ask }: Faulty, cookie: string | undefined, event: string): Promise<Row[]> {
  return (await ask('GET', `/audit?event=${event}`, { cookie })).body.events;
}

function crashes(): void {
  test('a call on which the process of an HSM crashes has one row in the audit log', async () => {
    const faulty = await startFaulty('isolation = "process"');
    const [id] = faulty.ids('key');
    await done(pair(faulty, faulty.ids('pair')[0]));
    const cookie = await signInAdmin(faulty);
    const works = () => until(async () => (await faulty.encrypt(id)).status === 200, 'it works again', 20_000);
    const calls: readonly [string, () => Promise<Answer>][] = [
      ['key.Encrypt', () => faulty.encrypt(id)],
      ['key.CreateKeyPair', () => pair(faulty, faulty.ids('another')[0])],
      ['key.Encrypt', () => faulty.admin('POST', '/v1/crypto/encrypt', { body: { kid: id, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } })],
      ['key.Sign', () => faulty.admin('POST', '/v1/crypto/sign', { body: { kid: faulty.ids('pair')[0], alg: 'ES256', data: 'aGVsbG8' } })],
    ];
    for (const [event, call] of calls) {
      const before = (await rows(faulty, cookie, event)).length;
      faulty.library.tell('crash');
      const { status, text, headers } = await call();
      faulty.library.tell(undefined);
      assert.equal(status, 503, text);
      const [row, ...others] = (await rows(faulty, cookie, event)).slice(before);
      assert.deepEqual([row?.outcome, row?.reason, others.length], ['failure', 'ACTOR_LOST', 0], `${event}: ${text} ${JSON.stringify([row, ...others])}`);
      assert.deepEqual([row?.actor, row?.request_id], ['hsm-admin@acme.com', headers['x-request-id']]);
      await works();
    }
  });
}

const every = (seconds: number): Json => ({ tag: 'RotateInterval', type: 'Interval', value: seconds });

function rotations(): void {
  test('keys in the database are rotated while the HSM of one that was due before them crashes', async () => {
    const { admin, ids, library } = await startFaulty('isolation = "process"\n[keys]\nrotation_check_seconds = 1');
    const rotates = async (id: string) => {
      const turned = async () => /"ReplacementObjectLink"/.test((await kmip(admin, 'GetAttributes', identifier(id))).text);
      await done(kmip(admin, 'SetAttribute', identifier(id), structure('NewAttribute', every(1))));
      await until(turned, `${id} is rotated`, 20_000);
    };
    const made = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12)];
    const { UniqueIdentifier: id = '' } = await done(kmip(admin, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...made)));
    await done(kmip(admin, 'Activate', identifier(id)));
    await rotates(ids('key')[0]);
    library.tell('crash');
    await rotates(id);
    library.tell(undefined);
    await rotates(ids('key')[1]);
  });
}

/** A pair that is made later, if asked so. @returns the whole outcome, as JSON */
async function makeLater({ admin }: Faulty, id: string): Promise<string> {
  const send = async (item: Json): Promise<string> => {
    const version = structure('ProtocolVersion', integer('ProtocolVersionMajor', 2), integer('ProtocolVersionMinor', 1));
    const how = /Poll/.test(JSON.stringify(item)) ? [] : [enumeration('AsynchronousIndicator', 'Optional')];
    const message = structure('RequestMessage', structure('RequestHeader', version, ...how, integer('BatchCount', 1)), item);
    return (await admin('POST', '/kmip/2_1', { body: message })).text;
  };
  const item = (operation: string, ...payload: Json[]) => structure('BatchItem', enumeration('Operation', operation), structure('RequestPayload', ...payload));
  const common = structure('CommonAttributes', enumeration('CryptographicAlgorithm', 'RSA'), integer('CryptographicLength', 2048));
  const halves = [
    structure('PrivateKeyAttributes', identifier(id), integer('CryptographicUsageMask', 1)),
    structure('PublicKeyAttributes', integer('CryptographicUsageMask', 2)),
  ];
  const submitted = await send(item('CreateKeyPair', common, ...halves));
  const value = /"AsynchronousCorrelationValue","type":"ByteString","value":"(\w+)"/.exec(submitted)?.[1];
  assert.ok(value, submitted);
  let told = submitted;
  await until(
    async () => {
      told = await send(item('Poll', bytes('AsynchronousCorrelationValue', value)));
      return !/OperationPending/.test(told);
    },
    'the pair is made, or is not',
    20_000,
  );
  return told;
}

function later(): void {
  test('a pair on a token is made later if asked so; a crash on the way is told by Poll and audited', async () => {
    const faulty = await startFaulty('isolation = "process"');
    const [made, lost] = ['made', 'lost'].map((name) => faulty.ids(name)[0]) as [string, string];
    assert.match(await makeLater(faulty, made), new RegExp(`"ResultStatus","type":"Enumeration","value":"Success".*"${made}".*"${made}_pk"`));
    faulty.library.tell('crash');
    assert.match(await makeLater(faulty, lost), /"ACTOR_LOST: the work was interrupted; its outcome is unknown"/);
    faulty.library.tell(undefined);
    const [row] = await rows(faulty, await signInAdmin(faulty), 'key.CreateKeyPair');
    assert.deepEqual([row?.outcome, row?.reason, row?.target, row?.actor], ['failure', 'ACTOR_LOST', lost, 'hsm-admin@acme.com']);
  });
}

if (!skipWithout('softhsm2') && canBuild()) {
  crashes();
  rotations();
  later();
  test.after.each(endFaulty);
  test.run();
}
