// What clients call their messages, in the log: one line for each message, with the id that its answer has (KMIP 2.1 sections 9.9 and 9.10).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { integer, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { until } from '../../runtime.ts';
import { caller } from './caller.ts';
import { ID, newKey, REQUESTS } from './operation-requests.ts';

const alice = caller('alice');
const speaking = (correlation?: string) => alice.client({ major: 2, minor: 1, encoding: 'binary', ...(correlation !== undefined && { correlation }) });

const lines = () => alice.server.lines.filter((line) => 'client_correlation_value' in line);

/** The line in the log of a message with this value. */
async function logged(value: string): Promise<Readonly<Record<string, unknown>>> {
  const found = () => lines().filter((line) => line.client_correlation_value === value);
  await until(() => found().length > 0, `the log has ${value}`);
  assert.equal(found().length, 1);
  return found()[0] as Readonly<Record<string, unknown>>;
}

async function isLogged(value: string, { header }: { readonly header: Structure }): Promise<void> {
  const { request_id: id, user, source, level } = await logged(value);
  assert.equal(id, textOf(header, TAG.ServerCorrelationValue));
  assert.deepEqual([user, source, level], ['alice', '127.0.0.1', 'info']);
}

test('a message has one line, wherever it is served and however it ends', async () => {
  const key = ID(await newKey(speaking()));
  const room = integer(TAG.MaximumResponseSize, 1);
  const create = (await REQUESTS.Create?.(speaking())) as Node[];
  assert.equal(lines().length, 0);
  await isLogged('reads', await speaking('reads').ask('Get', key));
  await isLogged('reads again', await speaking('reads again').ask('Get', key));
  await isLogged('makes', await speaking('makes').ask('Create', ...create));
  await isLogged('is refused', await speaking('is refused').ask('Get', ID('nobody')));
  await isLogged('reads too much', await speaking('reads too much').askWith([room], 'Get', key));
  await isLogged('makes too much', await speaking('makes too much').askWith([room], 'Create', ...create));
  assert.equal(lines().length, 6);
});

test('a long one is cut', async () => {
  await speaking('x'.repeat(10_000)).ask('Ping');
  await logged('x'.repeat(256));
});

test('one caller cannot fill the log: most of thousands of messages have no line', async () => {
  const client = speaking('busy');
  for (let n = 0; n < 60; n += 1) await Promise.all(Array.from({ length: 50 }, () => client.ask('Ping')));
  const found = () => lines().filter(({ client_correlation_value: value }) => value === 'busy').length;
  await until(() => found() >= 500, 'the first of them are logged');
  assert.ok(found() < 2_900, `${found()} lines`);
});

test.run();
