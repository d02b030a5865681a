// The forms of the console that change a record, in Chromium: what a form shows comes back exactly, and what it does not show survives.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import { type People, people } from '../people.ts';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, goTo, openConsole, openStage, type Stage } from './console.ts';

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;
let they: People;

const read = async (path: string) => (await server.ask('GET', path, { cookie: root })).body;
const put = async (path: string, body: object) =>
  assert.equal((await server.ask('PUT', path, { cookie: root, body: body as Record<string, unknown> })).status, 200);
/** @param said the notice of the page afterwards; the one before may have said the same */
async function save(page: Page, region: string, said: string): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => ['PUT', 'POST'].includes(response.request().method())),
    page.getByRole('region', { name: region }).getByRole('button', { name: 'Save' }).click(),
  ]);
  assert.ok(answer.ok(), await answer.text());
  await page.getByRole('region', { name: region }).locator('form:not([aria-busy])').waitFor();
  await page.getByText(said).waitFor();
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
    they = people(server, root);
  });
  test.after(() => stage?.end());

  test('a realm keeps its ages to the second, and everything that the form of its sign-in does not show', async () => {
    const provider = { jwt_issuer_uri: 'https://idp.example', jwks_uri: 'https://idp.example/keys', jwt_audience: null };
    const auth_params = {
      username_password_params: { allow_expired_passwords: true },
      jwt_params: { idp_params: [provider], smallest_refresh_interval_seconds: 77 },
      totp_params: { algorithm: 'SHA256', step: 45 },
    };
    const ages = { session_max_age_seconds: 5_401, session_max_stale_age_seconds: 61, certificate_max_age_seconds: 12_345, password_max_age_seconds: 90_061 };
    await they.realm('exact', { auth_params, ...ages });
    const before = await read('/admins/realms/exact');
    const { page, complaints } = await openConsole(browser, server.address, root, 'realm/exact');
    const age = page.getByLabel('A session ends after');
    assert.equal(await age.inputValue(), '5401 seconds');
    await save(page, 'Sign-in', 'The realm is changed.');
    assert.deepEqual(await read('/admins/realms/exact'), before);
    // What others change meanwhile stays too.
    await put('/admins/realms/exact', { ...before, certificate_max_age_seconds: 54_321 });
    await age.fill('120 Minutes');
    await page.getByLabel('A password is good for').fill('0 days');
    await save(page, 'Sign-in', 'The realm is changed.');
    const changed = { ...before, certificate_max_age_seconds: 54_321, session_max_age_seconds: 7_200, password_max_age_seconds: 0 };
    assert.deepEqual(await read('/admins/realms/exact'), changed);
    assert.equal(await age.inputValue(), '2 hours');
    await assertFit(page, 'a realm');
    await page.getByLabel('People sign in with a password').uncheck();
    await save(page, 'Sign-in', 'The realm is changed.');
    const username_password_params = { allow_expired_passwords: true, enabled: false };
    assert.deepEqual((await read('/admins/realms/exact')).auth_params, { ...auth_params, username_password_params });
    await page.getByRole('button', { name: 'Remove https://idp.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The provider is removed.').waitFor();
    const jwt_params = { idp_params: [], smallest_refresh_interval_seconds: 77 };
    assert.deepEqual(await read('/admins/realms/exact'), { ...changed, auth_params: { ...auth_params, username_password_params, jwt_params } });
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('roles keep their spaces, commas, quotes and lines, and a new password leaves them alone', async () => {
    const roles = ['on call', 'a, b', ' around ', '"quoted"', '"half', 'two\nlines', 'again', 'again'];
    const extra_claims = { team: { members: [1, null] }, 'a b': '' };
    await they.user('exact', 'ann', 'ann password', { roles, extra_claims });
    const before = await read('/realms/exact/userpass/ann');
    assert.deepEqual(before.roles, roles);
    const { page } = await openConsole(browser, server.address, root, 'person/exact/ann');
    await save(page, 'Roles and claims', 'The person is changed.');
    const kept = ({ roles: held, extra_claims: claims, change_password }: typeof before) => ({ held, claims, change_password });
    assert.deepEqual(kept(await read('/realms/exact/userpass/ann')), kept(before));
    const field = page.getByLabel('Roles', { exact: true });
    await field.fill(`${await field.inputValue()}\n  night shift, second  \n\n`);
    await save(page, 'Roles and claims', 'The person is changed.');
    assert.deepEqual((await read('/realms/exact/userpass/ann')).roles, [...roles, 'night shift, second']);
    await put('/realms/exact/userpass/ann', { roles: ['since then'], extra_claims });
    await page.getByRole('button', { name: 'Reset the password' }).click();
    await page.getByRole('textbox', { name: 'New password' }).fill('another of ann');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('The password is reset.').waitFor();
    assert.deepEqual(kept(await read('/realms/exact/userpass/ann')), { held: ['since then'], claims: extra_claims, change_password: true });
    await page.context().close();
  });

  test('claims are sent as they are typed: what the server cannot keep is told, and nothing is changed', async () => {
    const extra_claims = { account: 12345678901234567000 };
    await they.user('exact', 'bea', 'bea password', { extra_claims });
    const { page } = await openConsole(browser, server.address, root, 'person/exact/bea');
    const field = page.getByLabel('Further claims');
    for (const [typed, said] of [
      ['{"account": 12345678901234567891}', 'the number cannot be kept as it is'],
      ['{"account": 1, "account": 2}', 'stands twice in its object'],
      ['{"account": 1}, "roles": ["admin"]', 'The claims are not JSON'],
    ] as const) {
      await field.fill(typed);
      await page.getByRole('region', { name: 'Roles and claims' }).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').filter({ hasText: said }).waitFor();
      assert.deepEqual((await read('/realms/exact/userpass/bea')).extra_claims, extra_claims);
    }
    await field.fill('{"account": "12345678901234567891"}');
    await save(page, 'Roles and claims', 'The person is changed.');
    assert.deepEqual((await read('/realms/exact/userpass/bea')).extra_claims, { account: '12345678901234567891' });
    await field.fill('');
    await save(page, 'Roles and claims', 'The person is changed.');
    assert.equal((await read('/realms/exact/userpass/bea')).extra_claims, null);
    await page.context().close();
  });

  test('the record of an administrator keeps what its form does not show, and names as they are', async () => {
    const record = {
      id: 'lead',
      realms: ['exact'],
      userpass: ' ann ',
      jwt: ' of ann',
      fido2: 'a key',
      digital_credentials: { wallet: ['x'] },
      client_certificate: 'Ann',
    };
    assert.equal((await server.ask('POST', '/admins', { cookie: root, body: record })).status, 201);
    const before = await read('/admins/lead');
    const { page } = await openConsole(browser, server.address, root, 'admins');
    const change = async (fields: Readonly<Record<string, string>>) => {
      await page.getByRole('button', { name: 'Change lead' }).click();
      for (const [label, text] of Object.entries(fields)) await page.getByRole('dialog').getByLabel(label).fill(text);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      return read('/admins/lead');
    };
    assert.deepEqual(await change({}), before);
    assert.deepEqual(await change({ 'or with a certificate of': '' }), { ...before, client_certificate: null });
    await they.realm('second');
    assert.deepEqual(await change({ Realms: 'exact, second', 'or with a JWT of': '" bob"', 'Signs in as user': ' ann ' }), {
      ...before,
      client_certificate: null,
      realms: ['exact', 'second'],
      jwt: ' bob',
      userpass: 'ann',
    });
    const elsewhere = await server.ask('PUT', '/admins/lead', { cookie: root, body: { ...(await read('/admins/lead')), jwt: 'of somebody else' } });
    assert.equal(elsewhere.status, 200, elsewhere.text);
    assert.equal((await change({ 'Signs in as user': 'ben' })).jwt, 'of somebody else', 'it was changed after the list was drawn');
    await page.context().close();
  });

  test('space around names counts in quotation marks only: for people, grants and searches', async () => {
    await they.realm('spaced');
    const { page } = await openConsole(browser, server.address, root, 'realm/spaced');
    const [dialog, region] = [page.getByRole('dialog'), page.getByRole('search')];
    for (const typed of [' ada ', '" ada "']) {
      await page.getByRole('button', { name: 'Add a person' }).click();
      await dialog.getByLabel('User name').fill(typed);
      await dialog.getByLabel('First password').fill('a first password');
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    const made: { username: string }[] = await read('/realms/spaced/userpass');
    assert.deepEqual(made.map(({ username }) => username).toSorted(), [' ada ', 'ada']);
    const { kid } = (await server.ask('POST', '/v1/crypto/keys', { cookie: root, body: { kty: 'oct', alg: 'A256GCM' } })).body;
    await goTo(page, `key/${kid}`, kid);
    await page.getByText('Grant its use').click();
    await page.getByLabel('User', { exact: true }).fill('"spaced/ ada "');
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('The use is granted.').waitFor();
    assert.deepEqual(
      (await read(`/access/list/${kid}`)).map((each: { user_id: string }) => each.user_id),
      ['spaced/ ada '],
    );
    for (const [view, title, label] of [
      ['audit', 'Audit', 'Who'],
      ['keys', 'Keys', 'Owner'],
    ] as const) {
      await goTo(page, view, title);
      await region.getByLabel(label, { exact: true }).fill('" ada "');
      await region.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(/=%20ada%20|=\+ada\+/);
      assert.equal(await region.getByLabel(label, { exact: true }).inputValue(), '" ada "');
    }
    await page.context().close();
  });

  test('the interval of a rotation and the tags of a key are as they were', async () => {
    const { kid } = (await server.ask('POST', '/v1/crypto/keys', { cookie: root, body: { kty: 'oct', alg: 'A256GCM' } })).body;
    const tagsOf = async () => (await read(`/v1/crypto/keys/${kid}/tags`)).tags.filter((tag: string) => !tag.startsWith('_'));
    assert.equal((await server.ask('POST', `/v1/crypto/keys/${kid}/tags`, { cookie: root, body: { tags: ['a, b', 'c'] } })).status, 200);
    const attribute = (tag: string, type: string, value: unknown) => ({ tag, type, value });
    const operate = (tag: string, ...value: object[]) =>
      server.ask('POST', '/kmip/2_1', { cookie: root, body: { tag, value: [attribute('UniqueIdentifier', 'TextString', kid), ...value] } });
    for (const each of [attribute('RotateInterval', 'Interval', 5_400), attribute('RotateAutomatic', 'Boolean', true)])
      assert.equal((await operate('SetAttribute', { tag: 'NewAttribute', value: [each] })).status, 200);
    const interval = async () => /"RotateInterval","type":"Interval","value":(\d+)/.exec((await operate('GetAttributes')).text)?.[1];
    const { page } = await openConsole(browser, server.address, root, `key/${kid}`);
    await page.getByText('A new key takes its place and its name every 90 minutes.').waitFor();
    await save(page, 'Rotation', 'The key is replaced regularly.');
    assert.equal(await interval(), '5400');
    await page.getByLabel('Every').fill('1 day');
    await save(page, 'Rotation', 'The key is replaced regularly.');
    assert.equal(await interval(), '86400');
    await page.getByRole('button', { name: /tags/i }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Tags' }).fill(`${await dialog.getByRole('textbox', { name: 'Tags' }).inputValue()}\nd e`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The tags are changed.').waitFor();
    assert.deepEqual((await tagsOf()).toSorted(), ['a, b', 'c', 'd e']);
    await page.context().close();
  });
}

test.run();
