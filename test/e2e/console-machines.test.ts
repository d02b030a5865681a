// The roles of machines on the console in Chromium: their tokens by accessor, roles of clusters, and what revocation does.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, openConsole, openStage, type Stage } from './console.ts';

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;

async function logIn(role: string): Promise<string> {
  const { role_id } = (await server.ask('GET', `/auth/approle/role/${role}/role-id`, { cookie: root })).body.data;
  const answer = await server.ask('POST', '/auth/approle/login', { body: { role_id } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.auth.client_token;
}

const statusOf = async (token: string) => (await server.ask('GET', '/auth/token/lookup-self', { headers: { 'x-app-token': token } })).status;

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
  });
  test.after(() => stage?.end());

  test('tokens of a role are listed by accessor, and end one by one or all at once', async () => {
    assert.equal((await server.ask('POST', '/auth/approle/role/web', { cookie: root, body: { bind_secret_id: false } })).status, 204);
    const tokens = [await logIn('web'), await logIn('web'), await logIn('web')];
    const { page, complaints } = await openConsole(browser, server.address, root, 'machine/approle/web', { width: 360 });
    const list = page.getByRole('group', { name: 'Tokens' });
    await list
      .getByRole('button', { name: /^Revoke/ })
      .nth(2)
      .waitFor();
    await assertFit(page, 'tokens');
    await page.getByText('A program signs in with the role id alone.').waitFor();
    await page.getByText('None, and none is needed: who knows the role id can sign in.').waitFor();
    for (const token of tokens) assert.ok(!(await page.content()).includes(token));
    await list
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The token is revoked.').waitFor();
    assert.deepEqual((await Promise.all(tokens.map(statusOf))).toSorted(), [200, 200, 403]);
    await page.getByRole('button', { name: 'Revoke all tokens' }).click();
    await page.getByLabel('Type web to go on').fill('web');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No token of this role is good now.').waitFor();
    assert.deepEqual(await Promise.all(tokens.map(statusOf)), [403, 403, 403]);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('a new role does not take the place of one that has its name', async () => {
    const path = '/auth/approle/role/held';
    const settings = { token_ttl: 5_400, token_bound_cidrs: ['127.0.0.1/32'], token_policies: ['keys'] };
    assert.equal((await server.ask('POST', path, { cookie: root, body: settings })).status, 204);
    const before = (await server.ask('GET', path, { cookie: root })).body;
    const { page } = await openConsole(browser, server.address, root, 'machines');
    await page.getByRole('button', { name: 'Make a role', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('held');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await dialog.getByText('There is one with this name already.').waitFor();
    assert.deepEqual((await server.ask('GET', path, { cookie: root })).body, before);
    await dialog.getByLabel('Name').fill('free');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('The role is made.').waitFor();
    await page.context().close();
  });

  test('the dialog of a secret that is shown once says in itself whether it was copied', async () => {
    assert.equal((await server.ask('POST', '/auth/approle/role/copy', { cookie: root })).status, 204);
    const { page } = await openConsole(browser, server.address, root, 'machine/approle/copy');
    await page.getByRole('button', { name: 'Make a secret id' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    const copy = dialog.getByRole('button', { name: 'Copy the secret id' });
    await copy.click();
    const told = dialog.getByRole('status');
    await told.filter({ hasText: 'Secret id copied.' }).waitFor();
    await assertFit(page, 'the dialog');
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new DOMException('not allowed', 'NotAllowedError'))");
    await copy.click();
    await told.filter({ hasText: 'Select the text and copy it yourself.' }).waitFor();
    assert.equal(await page.getByText('Reload it').count(), 0);
    await page.context().close();
  });

  test('a role tells its settings with their units, and secret ids come a page at a time', async () => {
    const settings = { token_ttl: 5_400, token_max_ttl: 86_400, token_policies: ['sessions:read:team'], token_renewable: false };
    assert.equal((await server.ask('POST', '/auth/approle/role/many', { cookie: root, body: settings })).status, 204);
    for (let at = 0; at < 27; at++) assert.equal((await server.ask('POST', '/auth/approle/role/many/secret-id', { cookie: root })).status, 200);
    const { page, complaints } = await openConsole(browser, server.address, root, 'machine/approle/many');
    for (const words of ['90 minutes', '1 day', 'sessions:read:team', 'No']) await page.getByText(words, { exact: true }).first().waitFor();
    const secrets = page.getByRole('group', { name: 'Secret ids' }).getByRole('button', { name: /^Destroy/ });
    assert.equal(await secrets.count(), 25);
    await page.getByRole('button', { name: 'Next' }).click();
    await secrets.nth(2).waitFor({ state: 'detached' });
    assert.equal(await secrets.count(), 2);
    await assertFit(page, 'the last page');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('a role of clusters is made, shown, and its tokens are revoked', async () => {
    const { page, complaints } = await openConsole(browser, server.address, root, 'machines', { dark: true });
    await page.getByRole('button', { name: 'Make a role of clusters' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('pods');
    await dialog.getByLabel('Address of the keys of the cluster').fill('https://cluster.example/jwks');
    await dialog.getByLabel('Namespaces').fill('prod, test');
    await dialog.getByLabel('Service accounts').fill('*');
    await assertFit(page, 'the dialog');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Role pods' }).waitFor();
    await page.getByText('prod, test', { exact: true }).waitFor();
    await page.getByText('No token of this role is good now.').waitFor();
    await assertFit(page, 'the role');
    const { data } = (await server.ask('GET', '/auth/cluster/role/pods', { cookie: root })).body;
    assert.deepEqual([data.bound_service_account_namespaces, data.bound_service_account_names, data.token_ttl], [['prod', 'test'], ['*'], 3_600]);
    await page.getByRole('button', { name: 'Revoke all tokens' }).click();
    await page.getByLabel('Type pods to go on').fill('pods');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('All tokens of the role are revoked.').waitFor();
    const { events } = (await server.ask('GET', '/audit?event=cluster_role.revoke_tokens', { cookie: root })).body;
    assert.deepEqual(
      events.map(({ target, outcome }: Record<string, string>) => [target, outcome]),
      [['pods', 'success']],
    );
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test.run();
