// A server that starts with a clock that is ahead ends no key for good, and rotates none, before the clock has stayed for a day.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';

const { Active, Deactivated } = ENUM.State;
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000] as const;
const PASSWORD = 'a new password';
const options = (dataDir: string) => ({ dataDir, config: '[store]\nurl = "sqlite:gatehouse.db"\n' });
const inOneHour = () => new Date(Date.now() + HOUR_MS).toISOString();

/** A key that is used for an hour, and one that rotates each hour. */
async function makeKeys(dataDir: string): Promise<void> {
  const server = await startServer(options(dataDir));
  const cookie = await signInAdmin(server, PASSWORD);
  const more = [
    { tag: 'DeactivationDate', type: 'DateTime', value: inOneHour() },
    { tag: 'RotateInterval', type: 'Interval', value: HOUR_MS / 1_000 },
  ];
  for (const attribute of more) {
    const value = [
      { tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' },
      {
        tag: 'Attributes',
        value: [
          { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' },
          { tag: 'CryptographicLength', type: 'Integer', value: 256 },
          { tag: 'ActivationDate', type: 'DateTime', value: new Date(Date.now() - HOUR_MS).toISOString() },
          attribute,
        ],
      },
    ];
    const made = await server.ask('POST', '/kmip/2_1', { cookie, body: { tag: 'Create', value } });
    assert.equal(made.body?.tag, 'CreateResponse', made.text);
  }
  await server.end();
}

test('a key that ended and one that was due by the clock alone are as they were until the next day', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await makeKeys(dataDir);
  const store = await openStore(`sqlite:${join(dataDir, 'gatehouse.db')}`, { writer: 'test', clock: createClock() });
  const states = async () => (await store.all<{ state: number }>('SELECT state FROM kms_object ORDER BY seq')).map(({ state }) => state);
  // To the next start the clock is 400 days ahead.
  await store.transaction(async (tx) => {
    await tx.run(`UPDATE audit SET time = time - ${400 * DAY_MS}`, []);
  });
  const server = await startServer(options(dataDir));
  try {
    await server.runtime.advance(2 * HOUR_MS);
    // The next look begins when the first has ended.
    for (let looks = 0; looks < 3; looks++) await server.runtime.advance(2 * MINUTE_MS);
    assert.deepEqual(await states(), [Active, Active]);
    await server.runtime.advance(DAY_MS);
    await until(async () => (await states()).length === 3, 'the one is rotated');
    assert.equal((await states())[0], Deactivated);
  } finally {
    await server.end();
    await store.close();
    rmSync(join(dataDir, '..'), { recursive: true });
  }
});

test.run();
