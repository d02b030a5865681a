// RNGRetrieve, RNGSeed, Log, Ping, Interop and PKCS_11: operations without an object.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { interop } from '../../../../actors/kmip/operations/interop.ts';
import { log } from '../../../../actors/kmip/operations/log.ts';
import { ping } from '../../../../actors/kmip/operations/ping.ts';
import { pkcs11 } from '../../../../actors/kmip/operations/pkcs11.ts';
import { rngRetrieve } from '../../../../actors/kmip/operations/rng-retrieve.ts';
import { rngSeed } from '../../../../actors/kmip/operations/rng-seed.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { refused, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';
import { streamsHere } from '../../../fakes/streams.ts';
import { memoryLog } from '../../../runtime.ts';

const payload = (...members: Node[]) => structure(TAG.RequestPayload, members);

test('RNGRetrieve gives as many bytes as asked for, other ones each time, seeded or not', async () => {
  const ctx = new ObjectsInMemory([]);
  const random = async (length: number) => Buffer.from((await rngRetrieve.run(payload(integer(TAG.DataLength, length)), ctx))[0]?.value as Uint8Array);
  const seen = new Set<string>();
  for (let i = 0; i < 3; i++) seen.add((await random(32)).toString('hex'));
  assert.deepEqual(await rngSeed.run(payload(bytes(TAG.Data, utf8('seed'))), ctx), [integer(TAG.DataLength, 4)]);
  for (let i = 0; i < 3; i++) seen.add((await random(32)).toString('hex'));
  assert.equal(seen.size, 6);
  for (const length of [1, 63, 64, 65, 65_536]) assert.equal((await random(length)).length, length);
  for (const length of [0, -1, 65_537]) await refused(random(length), 'InvalidField');
  await refused(rngSeed.run(payload(), ctx), 'InvalidMessage');
});

test('Log writes the message as a field of the line, with who said it', async () => {
  const { log: written, lines } = memoryLog();
  const ctx = new ObjectsInMemory([], { log: written });
  assert.deepEqual(await log.run(payload(text(TAG.LogMessage, 'a\n{"level":"error"}')), ctx), []);
  assert.deepEqual(lines, [{ level: 'info', message: 'log message of a client', user: 'acme/alice', source: '192.0.2.1', said: 'a\n{"level":"error"}' }]);
  await refused(log.run(payload(text(TAG.LogMessage, 'x'.repeat(4097))), ctx), 'InvalidField');
  await refused(log.run(payload(), ctx), 'InvalidMessage');
});

test('Ping answers with an empty payload', () => {
  assert.deepEqual(ping.run(), []);
});

test('Interop notes begin and end of a test, and resets nothing', async () => {
  const { log: written, lines } = memoryLog();
  const ctx = new ObjectsInMemory([], { log: written });
  const said = (step: keyof typeof ENUM.InteropFunction) =>
    interop.run(payload(enumeration(TAG.InteropFunction, ENUM.InteropFunction[step]), text(TAG.InteropIdentifier, 'BL-M-1')), ctx);
  assert.deepEqual([await said('Begin'), await said('End')], [[], []]);
  assert.deepEqual(
    lines.map(({ step, test: name }) => `${step} ${name}`),
    ['Begin BL-M-1', 'End BL-M-1'],
  );
  await refused(said('Reset'), 'PermissionDenied');
  await refused(interop.run(payload(), ctx), 'InvalidMessage');
});

test('PKCS_11: a client initializes, asks for information, and finalizes', async () => {
  const ctx = new ObjectsInMemory([], { streams: await streamsHere(), args: { version: '1.27.3', vendorIdentification: 'vendor' } });
  const call = async (name: keyof typeof ENUM.PKCS_11Function, ...more: Node[]) => {
    const [first, ...rest] = await pkcs11.run(payload(enumeration(TAG.PKCS_11Function, ENUM.PKCS_11Function[name]), ...more), ctx);
    assert.deepEqual(first, enumeration(TAG.PKCS_11Function, ENUM.PKCS_11Function[name]));
    return { rest: rest.slice(0, -1), code: rest.at(-1)?.value };
  };
  const { OK, CRYPTOKI_NOT_INITIALIZED, CRYPTOKI_ALREADY_INITIALIZED, FUNCTION_NOT_SUPPORTED } = ENUM.PKCS_11ReturnCode;
  const begun = await call('C_Initialize', bytes(TAG.PKCS_11InputParameters, new Uint8Array([1])));
  assert.equal(begun.code, OK);
  const value = begun.rest[0] as Node;
  assert.equal(value.tag, TAG.CorrelationValue);
  assert.equal((await call('C_Initialize', value)).code, CRYPTOKI_ALREADY_INITIALIZED);
  const { rest, code } = await call('C_GetInfo', value);
  const info = Buffer.from(rest[0]?.value as Uint8Array);
  assert.deepEqual([code, info.length, info.subarray(0, 2).toString('hex'), info.subarray(74).toString('hex')], [OK, 76, '0300', '011b']);
  assert.equal(info.subarray(2, 34).toString(), 'vendor'.padEnd(32));
  assert.equal((await call('C_GetInfo')).code, CRYPTOKI_NOT_INITIALIZED);
  assert.equal((await call('C_GenerateKey', value)).code, FUNCTION_NOT_SUPPORTED);
  assert.equal((await call('C_Finalize', value)).code, OK);
  assert.equal((await call('C_GetInfo', value)).code, CRYPTOKI_NOT_INITIALIZED);
  assert.equal((await call('C_Finalize', value)).code, CRYPTOKI_NOT_INITIALIZED);
  await refused(pkcs11.run(payload(enumeration(TAG.PKCS_11Function, 9999)), ctx), 'PKCS_11InvalidFunction');
  await refused(pkcs11.run(payload(text(TAG.PKCS_11Interface, 'x'), enumeration(TAG.PKCS_11Function, 1)), ctx), 'PKCS_11InvalidInterface');
});

test.run();
