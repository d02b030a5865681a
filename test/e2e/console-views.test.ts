// The views of administrators on the console in Chromium: each does its work; HSMs are those of SoftHSM.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import { openBrowser } from '../browser.ts';
import { type People, people } from '../people.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { createSoftHsm, type SoftHsm } from '../softhsm.ts';
import { skipWithout } from '../system.ts';
import { goTo, openConsole } from './console.ts';

let server: TestServer;
let browser: Browser;
let hsm: SoftHsm;
let root: string;
let some: People;

/** The text of the file that a button saves. */
async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

if (!skipWithout('chromium') && !skipWithout('softhsm2')) {
  test.before(async () => {
    hsm = createSoftHsm();
    const slot = hsm.addToken('console', '12345678');
    server = await startServer({
      config: `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["12345678"]\nhsm_admin = ["_/admin"]\n`,
    });
    root = await signInAdmin(server);
    some = people(server, root);
    await some.realm('team');
    await some.user('team', 'ada', 'ada password', { roles: ['<b>'] });
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
    hsm?.end();
  });

  test('a key is made on the HSM that answers, and the view tells when it answers no more', async () => {
    await until(async () => (await server.ask('GET', '/hsm/status', { cookie: root })).text.includes('"accessible":true'), 'the slot is accessible', 20_000);
    const { page } = await openConsole(browser, server.address, root, 'new-key');
    await page.getByLabel('Name').fill('on the token');
    await page.getByLabel('Where').selectOption({ index: 1 });
    await page.getByLabel('Replace it regularly').uncheck();
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText(/soft_hsm, slot \d+/).waitFor();
    await page.getByLabel('Text', { exact: true }).fill('hello');
    await page.getByRole('button', { name: 'Encrypt' }).click();
    await page.getByLabel('Encrypted (JWE)', { exact: true }).waitFor();
    await goTo(page, 'keys', 'Keys');
    await page.getByLabel('HSM').selectOption({ label: 'hsm::soft_hsm' });
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 to 1 of 1', { exact: true }).waitFor();
    await page.getByLabel('Owner').fill('_/admin');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith('/hsm/status') && asked.push(request.resourceType()));
    await goTo(page, 'hsms', 'HSMs');
    await page.getByText('answers', { exact: true }).waitFor();
    hsm.hide();
    await page.getByText('does not answer', { exact: true }).waitFor();
    hsm.show();
    assert.deepEqual(asked, ['fetch', 'eventsource'], 'asked once, then told');
    await page.context().close();
  });

  test('where no events arrive, the view asks again and again', async () => {
    const { page } = await openConsole(browser, server.address, root);
    let asked = 0;
    await page.route('**/hsm/status', (route) => {
      if (route.request().resourceType() === 'eventsource') return route.abort();
      asked += 1;
      return route.continue();
    });
    await goTo(page, 'hsms', 'HSMs');
    await until(() => asked >= 4, 'the view has asked', 40_000);
    await page.context().close();
  });

  test('a view that is told what changes leaves when its session ends', async () => {
    await some.user('team', 'grace', 'grace password');
    const cookie = await some.session('team', 'grace', 'grace password');
    const { page } = await openConsole(browser, server.address, cookie, 'hsms');
    await page.getByRole('region', { name: 'hsm::soft_hsm' }).waitFor();
    const { session_id: id } = (await server.ask('GET', '/rights', { cookie })).body;
    assert.equal((await server.ask('DELETE', '/sessions', { cookie: root, body: { session_ids: [id] } })).status, 204);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  test('the configuration in use is shown with where it comes from, and without secrets', async () => {
    const { page } = await openConsole(browser, server.address, root, 'operations');
    const given = page.getByRole('group', { name: 'Configuration' });
    await given.getByRole('row', { name: /^hsm_instances .*"hsm_model":"soft_hsm".*"hsm_password":\["\(secret\)"\].*config\.toml$/ }).waitFor();
    await page.getByText(/^\d+ keys with their defaults$/).click();
    await page.getByRole('row', { name: /^log\.level info default$/ }).waitFor();
    assert.ok(!(await page.content()).includes('12345678'));
    await page.context().close();
  });

  test('an administrator is made, sees one realm, and its audit as a file without formulas', async () => {
    await some.user('team', 'lead', 'lead password');
    await some.user('team', '=cmd', 'cmd password');
    const { page } = await openConsole(browser, server.address, root, 'admins');
    await page.getByRole('button', { name: 'Make an administrator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('lead of team');
    await dialog.getByLabel('Realms').fill('team');
    await dialog.getByLabel('Signs in as user').fill('lead');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /lead of team/ }).waitFor();
    await page.context().close();
    await some.session('team', '=cmd', 'cmd password');
    const lead = await openConsole(browser, server.address, await some.session('team', 'lead', 'lead password'), 'audit');
    const csv = await saved(lead.page, 'Export CSV');
    assert.match(csv, /^time,event,outcome,realm,actor,target,reason,source,scheme,request_id\r\n/);
    assert.match(csv, /"login","success","team","'=cmd"/);
    const rows = (await saved(lead.page, 'Export JSON lines'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { realm: string; actor: string });
    assert.ok(rows.length > 2 && rows.every(({ realm }) => realm === 'team') && rows.some(({ actor }) => actor === '=cmd'));
    await lead.page.getByText(/^\d+ events are in the file\.$/).waitFor();
    await lead.page.context().close();
  });

  test('an export that does not hold all that matches says so', async () => {
    const { page } = await openConsole(browser, server.address, root, 'audit');
    const events = Array.from({ length: 1_000 }, (_, seq) => ({ time: 0, event: 'login', outcome: 'success', realm: null, actor: 'ada', seq }));
    await page.route(/\/audit\?.*limit=1000/, (route) => route.fulfill({ json: { events, next: 'more' } }));
    assert.equal((await saved(page, 'Export JSON lines')).trimEnd().split('\n').length, 10_000);
    await page.getByText(/^10\D?000 events are in the file\. There are more/).waitFor();
    await page.context().close();
  });

  test('the password is changed on the page of the account, and sessions end from it', async () => {
    await some.user('team', 'eve', 'eve password');
    const { page } = await openConsole(browser, server.address, await some.session('team', 'eve', 'eve password'), 'account');
    await page.getByLabel('Present password').fill('wrong password');
    await page.getByLabel('New password', { exact: true }).fill('another of eve');
    await page.getByLabel('Repeat the new password').fill('another of eve');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The present password or the code is wrong.').waitFor();
    await page.getByLabel('Present password').fill('eve password');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Change the password' }).click()]);
    const others = [await some.session('team', 'eve', 'another of eve'), await some.session('team', 'eve', 'another of eve')];
    await page.reload();
    await page.getByRole('button', { name: /^End all others/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('The sessions have ended.').waitFor();
    for (const cookie of others) assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 401);
    await until(async () => (await page.getByRole('row').count()) === 2, 'only the own session is left in the list');
    await page.context().close();
  });

  test('the preview of an anonymization follows what one types', async () => {
    const { page, complaints } = await openConsole(browser, server.address, root, 'anonymize');
    await page.getByText('XXXX XXXX met Charles').waitFor();
    await page.getByLabel('Words').fill('Charles');
    await page.getByText('Ada Lovelace met XXXX').waitFor();
    await page.getByLabel('Method').selectOption({ label: 'Round a number' });
    await page.getByText('1200', { exact: true }).waitFor();
    await page.getByLabel('Value').fill('1234567890123456789');
    await page.getByText('1234567890123456800', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
    await page.getByLabel('Power of ten').fill('two');
    await page
      .getByRole('alert')
      .getByText(/power.of.ten/i)
      .waitFor();
    await page.context().close();
  });

  test('whoever types a value and leaves the view at once is told of no error', async () => {
    const { page, complaints } = await openConsole(browser, server.address, root, 'anonymize');
    await page.getByText('XXXX XXXX met Charles').waitFor();
    await page.clock.install();
    await page.getByLabel('Words').fill('Charles');
    await goTo(page, 'account', 'Your account');
    await page.clock.runFor(1_000);
    assert.equal(await page.locator('#notice').textContent(), '');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test.run();
