// The search for keys on the console in Chromium: what others have granted is searched by the same attributes as one's own, a page that is gone leads to the last one, and archived keys are found.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { people } from '../people.ts';
import { skipWithout } from '../system.ts';
import { assertFit, makeKey, openConsole, openStage, press, type Stage } from './console.ts';

let stage: Stage | undefined;

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
  });
  test.after(() => stage?.end());

  test('what is granted to the user is found by its other attributes too', async () => {
    const { server, browser, root } = stage as Stage;
    const some = people(server, root);
    await some.realm('team');
    await some.user('team', 'bob', 'bob password');
    const aes = await makeKey(stage as Stage, { kty: 'oct' }, ['salaries']);
    const pair = await makeKey(stage as Stage, { kty: 'EC' }, ['releases']);
    for (const [id, operation] of [
      [aes, 'decrypt'],
      [pair, 'sign'],
    ])
      await server.ask('POST', '/access/grant', { cookie: root, body: { unique_identifier: id, user_id: 'team/bob', operation_types: [operation] } });
    const cookie = await some.session('team', 'bob', 'bob password');
    const own = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct' } });
    assert.equal(own.status, 200, own.text);

    const { page, complaints } = await openConsole(browser, server.address, cookie, 'keys?scope=granted');
    const links = () => page.getByRole('table').getByRole('link').allTextContents();
    await page.getByRole('columnheader', { name: 'Owner' }).waitFor();
    assert.deepEqual((await links()).toSorted(), [aes, pair].toSorted());
    await page.getByLabel('Algorithm').selectOption('AES');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 to 1 of 1').waitFor();
    assert.deepEqual(await links(), [aes]);
    await page.getByLabel('Tag').fill('releases');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Nothing found').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('a page that is gone since is the last one that is left', async () => {
    const { server, browser, root } = stage as Stage;
    const ids = [];
    for (let at = 0; at < 26; at++) ids.push(await makeKey(stage as Stage, { kty: 'oct' }, ['shrinking']));
    const { page, complaints } = await openConsole(browser, server.address, root, 'keys?tag=shrinking&offset=25');
    await page.getByText('26 to 26 of 26').waitFor();
    for (const offset of ['25.5', '99999999999', '1e999', '25']) {
      await page.evaluate(`location.hash = '#/keys?tag=shrinking&offset=${offset}'`);
      await page.getByText('26 to 26 of 26').waitFor();
    }
    await page.evaluate("location.hash = '#/keys?scope=granted&after=x'");
    await page
      .getByText('after: is taken from', { exact: false })
      .filter({ hasText: /^after: / })
      .waitFor();
    // The browser tells of each refused request.
    assert.match(complaints.splice(0).join(), /400/);
    await page.evaluate("location.hash = '#/keys?tag=shrinking&offset=25'");
    await page.getByText('26 to 26 of 26').waitFor();
    assert.equal((await server.ask('DELETE', `/v1/crypto/keys/${ids[0]}`, { cookie: root })).status, 204);
    await page.reload();
    await page.getByText('1 to 25 of 25').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Back', exact: true }).count(), 0);
    for (const id of ids.slice(1)) assert.equal((await server.ask('DELETE', `/v1/crypto/keys/${id}`, { cookie: root })).status, 204);
    await page.reload();
    await page.getByText('Nothing found').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('a person in a large realm is found by the beginning of the name; a short list has no search', async () => {
    const { server, browser, root } = stage as Stage;
    await people(server, root).realm('crowd');
    const password_input = { hashed: `$argon2id$v=19$m=65536,t=3,p=4$${'A'.repeat(22)}$${'A'.repeat(43)}` };
    for (const username of [...Array.from({ length: 26 }, (_, at) => `a${String.fromCharCode(97 + at)}`), 'zoe & co', 'zoë'])
      assert.equal((await server.ask('POST', '/realms/crowd/userpass', { cookie: root, body: { username, password_input } })).status, 201);
    const { page, complaints } = await openConsole(browser, server.address, root, 'realm/crowd');
    const shown = () => page.getByRole('table').getByRole('link').allTextContents();
    await page.getByLabel('User name begins with').fill('zo');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'zoë' }).waitFor();
    assert.deepEqual(await shown(), ['zoe & co', 'zoë']);
    await page.getByLabel('User name begins with').fill('zoe & c');
    await page.getByLabel('User name begins with').press('Enter');
    await page.getByRole('link', { name: 'zoë' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'zoe & co' }).waitFor();
    assert.deepEqual(await shown(), ['zoe & co']);
    await assertFit(page, 'a search for people');
    // The search stays for the next page.
    await page.evaluate("location.hash = '#/realm/crowd?prefix=a'");
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('link', { name: 'az' }).waitFor();
    assert.deepEqual(await shown(), ['az']);
    await page.evaluate("location.hash = '#/realm/crowd?prefix=Z'");
    await page.getByText('Nobody found').waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByRole('link', { name: 'ab' }).waitFor();
    await page.evaluate("location.hash = '#/realms'");
    await page.getByRole('heading', { name: 'Realms and people' }).waitFor();
    assert.deepEqual(await page.getByRole('search').allInnerTexts(), []);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('an archived key is found and shown as one, and can be used again when it is recovered', async () => {
    const { server, browser, root } = stage as Stage;
    const id = await makeKey(stage as Stage, { kty: 'oct' }, ['put-away']);
    const archive = { tag: 'Archive', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: id }] };
    assert.equal((await server.ask('POST', '/kmip/2_1', { cookie: root, body: archive })).status, 200);
    const { page, complaints } = await openConsole(browser, server.address, root, 'keys?tag=put-away');
    await page.getByText('1 to 1 of 1').waitFor();
    assert.match(await page.getByRole('row').last().innerText(), /Active\s+Archived/);
    await page.getByRole('link', { name: id }).click();
    await page.getByText('It can be used and changed when it is recovered.').waitFor();
    // What would be refused is not offered.
    for (const name of ['Rotate', 'Export', 'Revoke', 'Encrypt', 'Change the tags']) assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    await assertFit(page, 'the page of an archived key');
    await press(page, 'Recover');
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
    await page.getByRole('button', { name: 'Encrypt' }).waitFor();
    assert.equal(await page.getByText('Archived', { exact: true }).count(), 0);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test.run();
