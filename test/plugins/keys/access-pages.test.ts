// Lists below /access come in pages, on both databases: what was granted by name before what everybody was granted, whatever the identifiers.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Answer, Ask } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };
const text = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
const databases = await testDatabases();
test.after(async () => void (await Promise.all(databases.map((database) => database.stop()))));

async function makeKey(as: Ask, id: string): Promise<void> {
  const members = [
    { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' },
    { tag: 'CryptographicLength', type: 'Integer', value: 256 },
    { tag: 'CryptographicUsageMask', type: 'Integer', value: 12 },
    text('UniqueIdentifier', id),
    { tag: 'Name', value: [text('NameValue', `name of ${id}`), { tag: 'NameType', type: 'Enumeration', value: 'UninterpretedTextString' }] },
  ];
  const value = [
    { tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' },
    { tag: 'Attributes', value: members },
  ];
  const answer = await as('POST', '/kmip/2_1', { body: { tag: 'Create', value } });
  assert.equal(answer.status, 200, answer.text);
}

const grant = async (as: Ask, id: string, user: string) => {
  const answer = await as('POST', '/access/grant', { body: { unique_identifier: id, user_id: user, operation_types: ['encrypt'] } });
  assert.equal(answer.status, 200, answer.text);
};

/** All pages of a list from the first, each by the Link of the one before. */
async function pages(as: Ask, first: string): Promise<Answer[]> {
  const found: Answer[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const answer: Answer = await as('GET', path);
    assert.equal(answer.status, 200, answer.text);
    found.push(answer);
    path = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers['link'] ?? ''))?.[1];
  }
  return found;
}

const idsOf = (answers: readonly Answer[]) => answers.map(({ body }) => body.map(({ object_id: id }: { object_id: string }) => id));

for (const { dialect, url } of databases) {
  const name = (title: string) => `${dialect}: ${title}`;
  let server: SecureServer;
  let [owner, user, spammer] = [] as Ask[] as [Ask, Ask, Ask];

  test(name('the people and keys of these tests'), async () => {
    server = await startSecureServer({ config: dialect === 'sqlite' ? '' : `[store]\nurl = "${await url()}"\n` });
    [owner, user, spammer] = (await Promise.all(['owner', 'user', 'spammer'].map(async (each) => server.as(await server.client(each))))) as [Ask, Ask, Ask];
    for (const at of [1, 2, 3, 4, 5, 6, 7]) await makeKey(owner, `key ${at}`);
    for (const at of [3, 5, 2]) await grant(owner, `key ${at}`, 'user');
    await grant(owner, 'key 7', '*');
    await grant(owner, 'key 2', '*');
    // In the order of their identifiers these come before all others.
    for (const at of [1, 2, 3, 4]) {
      await makeKey(spammer, `a ${at}`);
      await grant(spammer, `a ${at}`, '*');
    }
  });

  test(name('owned: the newest first, each once, one answer without a Link where it is short'), async () => {
    const whole = await pages(owner, '/access/owned');
    assert.equal(whole.length, 1);
    const expected = [7, 6, 5, 4, 3, 2, 1].map((at) => `key ${at}`);
    assert.deepEqual(idsOf(whole), [expected]);
    assert.deepEqual(idsOf(await pages(owner, '/access/owned?limit=3')), [expected.slice(0, 3), expected.slice(3, 6), expected.slice(6)]);
    assert.deepEqual(idsOf(await pages(owner, '/access/owned?limit=7')), [expected]);
  });

  test(name('a key that goes away between two pages disturbs nobody'), async () => {
    await makeKey(owner, 'short-lived');
    const first = await owner('GET', '/access/owned?limit=1');
    assert.equal(first.body[0].object_id, 'short-lived');
    assert.equal((await owner('DELETE', '/v1/crypto/keys/short-lived')).status, 204);
    const next = /^<([^>]+)>/.exec(String(first.headers['link']))?.[1] as string;
    assert.equal((await owner('GET', next)).body[0].object_id, 'key 7');
  });

  test(name('obtained: by name first, then what everybody was granted, nothing twice and nothing of oneself'), async () => {
    const expected = ['key 2', 'key 3', 'key 5', 'a 1', 'a 2', 'a 3', 'a 4', 'key 7'];
    assert.deepEqual(idsOf(await pages(user, '/access/obtained')), [expected]);
    for (const limit of [1, 2, 3, 4, 7, 8]) assert.deepEqual(idsOf(await pages(user, `/access/obtained?limit=${limit}`)).flat(), expected, `pages of ${limit}`);
    assert.deepEqual(idsOf(await pages(owner, '/access/obtained?limit=2')), [
      ['a 1', 'a 2'],
      ['a 3', 'a 4'],
    ]);
  });

  test(name('who may use an object: by name'), async () => {
    for (const each of ['zoe', 'carl', 'dora', 'abel']) await grant(owner, 'key 1', each);
    const found = (await pages(owner, '/access/list/key%201?limit=3')).map(({ body }) => body.map(({ user_id: id }: { user_id: string }) => id));
    assert.deepEqual(found.flat().sort(), ['abel', 'carl', 'dora', 'zoe']);
    assert.equal(found.length, 2);
  });

  test(name('limits and places that are none are refused'), async () => {
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after=x', `after=${'9'.repeat(5_000)}`, 'after=', 'more=1'])
      assert.equal((await owner('GET', `/access/owned?${query}`)).status, 400, query.slice(0, 20));
    for (const after of ['!!', Buffer.from('other:key').toString('base64url'), Buffer.from('named:a\0b').toString('base64url')])
      assert.equal((await owner('GET', `/access/obtained?after=${encodeURIComponent(after)}`)).status, 400, after);
  });

  test(name('Locate finds what was granted, by name and to everybody'), async () => {
    const locate = async (as: Ask, ...attributes: Json[]) => {
      const answer = await as('POST', '/kmip/2_1', { body: { tag: 'Locate', value: [{ tag: 'Attributes', value: attributes }] } });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.value.filter(({ tag }: Json) => tag === 'UniqueIdentifier').map(({ value }: Json) => value);
    };
    const mask = { tag: 'CryptographicUsageMask', type: 'Integer', value: 4 };
    assert.deepEqual((await locate(user, mask)).sort(), ['a 1', 'a 2', 'a 3', 'a 4', 'key 2', 'key 3', 'key 5', 'key 7']);
    assert.deepEqual(
      await locate(user, {
        tag: 'Name',
        value: [text('NameValue', 'name of key 7'), { tag: 'NameType', type: 'Enumeration', value: 'UninterpretedTextString' }],
      }),
      ['key 7'],
    );
  });

  test(name('the server ends'), () => server.end());
}

test.run();
