// A one-time code signs in once, whichever nodes it is sent to, and however much their clocks differ.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Nodes, startNodes } from '../../nodes.ts';
import { type People, people } from '../../people.ts';
import { signInAdmin } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const STEP_MS = 30_000;

for (const database of databases) {
  let nodes: Nodes;
  let [here, there]: People[] = [];
  const name = (text: string) => `${database.dialect}: ${text}`;

  test(name('the people of these tests'), async () => {
    nodes = await startNodes(database);
    here = people(nodes.one, await signInAdmin(nodes.one));
    there = people(nodes.other, here.root);
    await here.realm('r');
  });

  const enrolled = async (user: string) => {
    const they = here as People;
    await they.user('r', user, `${user} password`);
    return they.enrol('r', user, await they.session('r', user, `${user} password`));
  };
  const signIn = async (they: People | undefined, user: string, totp_code: string) =>
    (await (they as People).signIn('r', user, `${user} password`, { totp_code })).status;

  test(name('of logins with one code at both nodes one ends authenticated, and none later'), async () => {
    const totp = await enrolled('ann');
    const code = here?.code(totp, 1) as string;
    const both = await Promise.all(Array.from({ length: 8 }, (_, n) => signIn(n % 2 ? here : there, 'ann', code)));
    assert.deepEqual(both.sort(), [200, ...Array(7).fill(401)]);
    for (const they of [here, there]) {
      await nodes.one.ask('POST', '/realms/r/userpass/ann/unlock', { cookie: here?.root });
      assert.equal(await signIn(they, 'ann', code), 401);
    }
  });

  test(name('a node whose clock is behind takes no code that one ahead has seen, and none before it'), async () => {
    const totp = await enrolled('ben');
    if (nodes.other !== nodes.one) await nodes.other.runtime.advance(STEP_MS);
    const [earlier, used, next] = [0, 1, 2].map((steps) => here?.code(totp, steps) as string) as [string, string, string];
    assert.equal(await signIn(there, 'ben', used), 200);
    for (const they of [here, there]) for (const code of [earlier, used]) assert.equal(await signIn(they, 'ben', code), 401);
    await nodes.one.runtime.advance(STEP_MS);
    assert.equal(await signIn(here, 'ben', next), 200);
    assert.equal(await signIn(there, 'ben', next), 401);
    await nodes.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
