// The audit log as it is followed: a row that comes late, with an earlier time than those that were printed, is printed too, and nothing twice.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { test } from 'uvu';
import { Client, type Fetch } from '../../client/index.ts';
import { type Event, events, type Following, newest } from '../../command/groups/audit-events.ts';
import { createClock } from '../../kernel/clock.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { Store } from '../../kernel/store/store.ts';
import { type Nodes, startNodes } from '../nodes.ts';
import { signInAdmin } from '../server.ts';
import { testDatabases } from '../stores.ts';

const START = 1_700_000_000_000;
const ALL = 'at 1 late at 2 later at 3 at 4 at 5 new newer newest';
const databases = await testDatabases();

for (const database of databases) {
  const name = (what: string) => `${database.dialect}: ${what}`;
  let nodes: Nodes;
  /** Of another node, whose clock tells what a test wants. */
  let store: Store;
  let client: Client;
  let agent: Agent;
  let time = 0;
  let asked = 0;

  const add = (event: string, seconds: number, target: string) => {
    time = START + seconds * 1_000;
    return store.transaction((tx) => tx.audit({ event, outcome: 'success', target }));
  };

  /** Each turn at the end of the log is one of these; a reader that finds nothing after all of them fails. */
  const following = (turns: (() => Promise<unknown>)[]) => {
    const clock = { passed: 0 };
    const wait: Following['wait'] = async () => {
      asked = 0;
      const turn = turns.shift();
      if (!turn) throw new Error('nothing was added that the reader has found');
      await turn();
    };
    return { clock, given: { wait, monotonic: () => clock.passed } };
  };

  const targets = async (found: AsyncGenerator<Event>, count: number) => {
    const read: unknown[] = [];
    while (read.length < count) read.push((await found.next()).value['target']);
    return read.join(' ');
  };

  test(name('the server, and another writer of its log'), async () => {
    nodes = await startNodes(database);
    store = await openStore(nodes.storeUrl, { writer: 'another', clock: { ...createClock(), now: () => time } });
    agent = new Agent({ connect: { ca: readFileSync(join(nodes.one.dataDir, 'tls/cert.pem'), 'utf8') } });
    const counted: Fetch = (address, init) => {
      asked += 1;
      return fetch(address, { ...init, dispatcher: agent } as never) as unknown as Promise<Response>;
    };
    const cookie = (await signInAdmin(nodes.one)).replace(/^_ea_=/, '');
    client = new Client({ address: nodes.one.address, fetch: counted, credential: { cookie } });
  });

  test(name('from the beginning, on pages that were full long ago too, until these are settled'), async () => {
    for (const second of [1, 2, 3, 4, 5]) await add('test.followed', second, `at ${second}`);
    const { clock, given } = following([
      () => add('test.followed', 1.5, 'late'),
      async () => {
        await add('test.followed', 2.5, 'later');
        await add('test.followed', 6, 'new');
      },
      async () => {
        clock.passed += 60_000;
        await add('test.followed', 7, 'newer');
      },
      () => add('test.followed', 8, 'newest'),
    ]);
    const found = events(client, { event: 'test.followed' }, 2, given);
    assert.equal(await targets(found, 5), 'at 1 at 2 at 3 at 4 at 5');
    assert.equal(await targets(found, 1), 'late');
    assert.equal(await targets(found, 2), 'later new');
    assert.equal(await targets(found, 2), 'newer newest');
    assert.ok(asked <= 2, `${asked} pages were read again`);
    assert.equal(await targets(events(client, { event: 'test.followed' }, 2, undefined), 10), ALL);
  });

  test(name('from the end, and none of those before'), async () => {
    for (const second of [1, 2, 3]) await add('test.end', second, `at ${second}`);
    const { given } = following([() => add('test.end', 2.5, 'late'), () => add('test.end', 4, 'new')]);
    const found = newest(client, { event: 'test.end' }, 1, given);
    assert.equal(await targets(found, 3), 'at 3 late new');
    assert.equal(await targets(newest(client, { event: 'test.end' }, 2, undefined), 2), 'at 3 new');
  });

  test(name('their end'), async () => {
    await agent.close();
    await store.close();
    await nodes.end();
    await database.stop();
  });
}

test.run();
