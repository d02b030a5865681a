// A session of the console that ends in the middle of work, in Chromium: what is told, what is kept of a form, and that nobody sees it under another name.
import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { test } from 'uvu';
import { type People, people } from '../people.ts';
import { skipWithout } from '../system.ts';
import { giveCookie, goTo, openConsole, openStage, press, type Stage, typeInto } from './console.ts';

let stage: Stage;
let some: People;

const focused = (page: Page) => page.evaluate('document.activeElement.localName');

async function endSession(cookie: string): Promise<void> {
  const { session_id: id } = (await stage.server.ask('GET', '/rights', { cookie })).body;
  assert.equal((await stage.server.ask('DELETE', '/sessions', { cookie: stage.root, body: { session_ids: [id] } })).status, 204);
}

async function open(user: string, view: string) {
  const cookie = await some.session('team', user, `${user} password`);
  return { cookie, ...(await openConsole(stage.browser, stage.server.address, cookie, view)) };
}

async function signIn(page: Page, user: string): Promise<void> {
  await page.getByText('Your session has ended. Sign in to go on.').waitFor();
  await page.getByLabel('Realm').fill('team');
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password', { exact: true }).fill(`${user} password`);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    some = people(stage.server, stage.root);
    for (const realm of ['team', 'other']) await some.realm(realm);
    for (const user of ['ada', 'grace']) await some.user('team', user, `${user} password`);
  });
  test.after(() => stage?.end());

  test('a half-filled form is there again after the sign-in, with the fields that depend on others', async () => {
    const { page, cookie, complaints } = await open('ada', 'new-key');
    await page.getByRole('radio', { name: 'Sign' }).check();
    await page.getByLabel('Kind').selectOption({ index: 1 });
    const kind = await page.getByLabel('Kind').inputValue();
    await page.getByLabel('Name').fill('half');
    await page.getByLabel('Tags').fill('a, b');
    await page.getByLabel('May be used').selectOption({ label: 'On a date' });
    await page.getByLabel('From', { exact: true }).fill('2031-02-03');
    await page.getByLabel('Replace it regularly').check();
    await page.getByLabel('Every … days').fill('77');
    await endSession(cookie);
    await press(page, 'Make the key');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByLabel('Realm').inputValue(), 'team', 'the realm is known');
    await signIn(page, 'ada');
    await page.getByText('What you had typed is here again.').waitFor();
    assert.ok(await page.getByRole('radio', { name: 'Sign' }).isChecked());
    const values = ['Kind', 'Name', 'Tags', 'From', 'Every … days'].map((label) => page.getByLabel(label, { exact: true }).inputValue());
    assert.deepEqual(await Promise.all(values), [kind, 'half', 'a, b', '2031-02-03', '77']);
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await press(page, 'Make the key');
    await page.getByRole('heading', { level: 1, name: 'half' }).waitFor();
    assert.deepEqual(
      complaints.filter((each) => !each.includes('401')),
      [],
    );
    await page.context().close();
  });

  test('no key is kept, and nothing for another user', async () => {
    const { page, cookie } = await open('ada', 'import-key');
    await page.getByLabel('Key', { exact: true }).fill('c2VjcmV0IHNlY3JldCE=');
    await page.getByLabel('Name').fill('brought');
    await endSession(cookie);
    await press(page, 'Import the key');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const kept = String(await page.evaluate('JSON.stringify({ ...sessionStorage })'));
    assert.ok(kept.includes('brought') && !kept.includes('c2VjcmV0'), kept);
    await signIn(page, 'grace');
    await page.getByRole('heading', { name: 'Import a key' }).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), '');
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await page.context().close();
  });

  test('who signs out is told of no end, and leaves nothing behind', async () => {
    const { page } = await open('ada', 'new-key');
    await page.getByLabel('Name').fill('left behind');
    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    assert.equal(await page.getByText('Your session has ended').isVisible(), false);
    await page.context().close();
  });

  test('where somebody else has signed in since, a page of before is loaded anew when it is seen', async () => {
    const { page, cookie } = await open('ada', 'keys');
    await endSession(cookie);
    await giveCookie(page, stage.server.address, await some.session('team', 'grace', 'grace password'));
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('link', { name: 'grace' }).waitFor();
    await page.getByText('as team/grace').waitFor();
    await page.context().close();
  });

  test('a view whose right is gone says so, and a reload draws the navigation anew', async () => {
    const cookie = await some.realmAdmin('team', 'lead');
    const { page } = await openConsole(stage.browser, stage.server.address, cookie);
    await page.getByRole('link', { name: 'Audit' }).waitFor();
    const demoted = { id: 'team-lead', realms: ['other'], userpass: 'lead' };
    assert.equal((await stage.server.ask('PUT', '/admins/team-lead', { cookie: stage.root, body: demoted })).status, 200);
    await press(page, 'Audit', 'link');
    await page.getByText('your rights may have changed').waitFor();
    await press(page, 'Reload');
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Audit' }).count(), 0);
    await page.context().close();
  });

  test('a key that is granted by get is shown; the focus stays in the page when an action is gone', async () => {
    const owner = await open('ada', 'new-key');
    await typeInto(owner.page, 'Name', 'lent');
    await press(owner.page, 'Make the key');
    await owner.page.getByRole('heading', { level: 1, name: 'lent' }).waitFor();
    assert.equal(await focused(owner.page), 'h1', 'of the new view');
    const id = decodeURIComponent(owner.page.url().split('/').at(-1) as string);
    const grant = { unique_identifier: id, user_id: 'team/grace', operation_types: ['get'] };
    assert.equal((await stage.server.ask('POST', '/access/grant', { cookie: owner.cookie, body: grant })).status, 200);
    const { page } = await open('grace', `key/${encodeURIComponent(id)}`);
    await page.getByRole('heading', { name: 'Try it' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Who else may use it' }).count(), 0);
    await page.context().close();
    await press(owner.page, 'Revoke');
    await typeInto(owner.page, /^Type lent/, 'lent');
    await owner.page.keyboard.press('Enter');
    await owner.page.getByRole('button', { name: 'Destroy' }).waitFor();
    assert.equal(await focused(owner.page), 'h1');
    await owner.page.context().close();
  });

  test('while the server cannot be reached, a form and a view say so, and go on when it is there again', async () => {
    const { page } = await open('ada', 'new-key');
    await page.getByLabel('Name').fill('patient');
    await page.context().setOffline(true);
    await press(page, 'Make the key');
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' }).waitFor();
    await page.context().setOffline(false);
    await press(page, 'Make the key');
    await page.getByRole('heading', { level: 1, name: 'patient' }).waitFor();
    await page.context().setOffline(true);
    await press(page, 'Your account', 'link');
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' }).waitFor();
    await page.context().setOffline(false);
    await press(page, 'Try again');
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await page.context().close();
  });

  test('a page that is opened while the server fails says so, and can be tried again', async () => {
    const { page } = await open('ada', 'account');
    for (const failing of ['/rights', '/me']) {
      await page.route(`**${failing}`, (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
      await page.reload();
      await page.getByRole('alert').filter({ hasText: '502' }).waitFor();
      await page.unroute(`**${failing}`);
      await press(page, 'Try again');
      await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    }
    await page.context().close();
  });

  test('a page that is loaded with a session that has ended leads to the reason', async () => {
    const { page, cookie } = await open('ada', 'keys');
    await endSession(cookie);
    await page.reload();
    await signIn(page, 'ada');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.context().close();
  });

  test('what a grant lacks is said in words of the page; a changed password is told after it', async () => {
    const { page } = await open('ada', 'new-key');
    await page.getByLabel('Name').fill('to grant');
    await press(page, 'Make the key');
    await page.getByText('Grant its use').click();
    await page.getByLabel('User').fill('team/');
    await press(page, 'Grant');
    await page.getByRole('alert').filter({ hasText: 'No user has a name of this form.' }).waitFor();
    for (const box of await page.getByRole('group', { name: 'May' }).getByRole('checkbox').all()) await box.uncheck();
    await press(page, 'Grant');
    await page.getByRole('alert').filter({ hasText: 'Choose what the user may do.' }).waitFor();
    await goTo(page, 'account', 'Your account');
    await page.getByLabel('Present password').fill('ada password');
    for (const label of ['New password', 'Repeat the new password']) await page.getByLabel(label, { exact: true }).fill('ada password anew');
    const abort = (route: Route) => route.abort();
    await page.route('**/login?*', abort);
    await press(page, 'Change the password');
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' }).waitFor();
    await page.unroute('**/login?*', abort);
    const busy = (route: Route) => route.fulfill({ status: 429, headers: { 'retry-after': '7' }, json: { code: 'RATE_LIMITED', message: 'too many' } });
    await page.route('**/login?*', busy);
    await press(page, 'Change the password');
    await page.getByRole('alert').filter({ hasText: 'Too many requests. Try again in 7 seconds.' }).waitFor();
    await page.unroute('**/login?*', busy);
    const loaded = page.waitForEvent('load');
    await press(page, 'Change the password');
    await loaded;
    await page.getByText('The password is changed.').waitFor();
    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  test('an address with too many or too few parts is no page', async () => {
    const { page } = await openConsole(stage.browser, stage.server.address, stage.root);
    for (const view of ['keys/x', 'realms/x', 'realm', 'key', 'person/team', 'machine/x', 'new-key/x', 'nonsense']) {
      await goTo(page, view, 'There is no such page');
      await goTo(page, '', /./);
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor({ state: 'detached' });
    }
    await goTo(page, 'keys/', 'Keys');
    await page.context().close();
  });
}

test.run();
