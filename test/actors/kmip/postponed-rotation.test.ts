// Objects that cannot be rotated, over a real store: tried again after longer and longer times, and told once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../actors/kmip/message/serve.ts';
import { rotateDue } from '../../../actors/kmip/rotation.ts';
import type { KeyServer } from '../../../actors/kmip/server.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { dateTime, interval } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { readAnswer } from '../../fuzz/answer.ts';
import { ALICE, NOW, openFuzzedServer } from '../../fuzz/key-server.ts';
import { attributes, code, id, SECONDS } from '../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../fuzz/objects.ts';

const world = await openFuzzedServer();
test.after(() => world.end());

/** Each is due for rotation a minute after it was made. */
async function make(server: KeyServer, keys: Readonly<Record<string, number>>): Promise<void> {
  const create = ([name, activation]: [string, number]) => {
    const said = attributes(id(name), code('CryptographicAlgorithm', 'AES'), dateTime(TAG.ActivationDate, activation), interval(TAG.RotateInterval, 60));
    return batchItem('Create', [code('ObjectType', 'SymmetricKey'), said]);
  };
  const message = requestMessage({ major: 2, minor: 1 }, Object.entries(keys).map(create));
  for (const { reason, message: why } of readAnswer(await serve(server, encodeBinary(message), 'binary', 'any', ALICE), 'binary').items)
    assert.equal(reason, undefined, why);
  world.said();
}

/** @param looks a minute apart, from some time after all are due */
async function look(server: KeyServer, looks: number): Promise<void> {
  for (let n = 0; n < looks; n++) await rotateDue({ ...server, now: () => NOW + (200 + 60 * n) * 1_000 });
}

const saidOf = (name: string, said: string): string[] =>
  (JSON.parse(said) as { object?: string; level: string }[]).filter(({ object }) => object === name).map(({ level }) => level);
const rowsOf = async ({ store }: KeyServer, name: string) =>
  (await store.all<{ reason: string }>("SELECT reason FROM audit WHERE event = 'key.rotate' AND target = $1", [name])).map(({ reason }) => reason);

test('one that became active after it was stored is told once, as any other', async () => {
  const server = await world.fresh();
  await make(server, { active: SECONDS - 1, later: SECONDS + 100 });
  await look({ ...server, args: { ...server.args, quotas: { ...server.args.quotas, objects_per_identity: 2 } } }, 10);
  const said = world.said();
  for (const name of ['active', 'later']) {
    assert.deepEqual(await rowsOf(server, name), ['ServerLimitExceeded'], name);
    const [first, ...others] = saidOf(name, said);
    assert.deepEqual([first, new Set(others)], ['warn', new Set(['debug'])], name);
    assert.ok(others.length > 1 && others.length < 6, name);
  }
});

test('a next generation that is always there already is a failure from the second time on', async () => {
  const server = await world.fresh();
  await make(server, { met: SECONDS - 1 });
  let refused = 0;
  const transaction: Store['transaction'] = (work, options) =>
    server.store.transaction(async (tx) => {
      const run = tx.run.bind(tx);
      // As a token with two keys of the next name: what it has cannot be taken in.
      const refusing = Object.create(tx, {
        run: {
          value: (sql: string, params?: never) => {
            if (!sql.startsWith('INSERT INTO kms_object')) return run(sql, params);
            refused += 1;
            throw new Refusal('ObjectAlreadyExists', 'the token already has a secret key met::1');
          },
        },
      });
      return work(refusing as typeof tx);
    }, options);
  await look({ ...server, store: Object.create(server.store, { transaction: { value: transaction } }) as Store }, 60);
  assert.deepEqual(await rowsOf(server, 'met'), ['ObjectAlreadyExists']);
  assert.deepEqual(saidOf('met', world.said()).slice(0, 3), ['info', 'warn', 'debug']);
  assert.ok(refused > 3 && refused < 15, `${refused} attempts in an hour`);
});

test.run();
