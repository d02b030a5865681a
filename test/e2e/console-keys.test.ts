// Keys on the console in Chromium: try-outs of every purpose, the end of a key by its name, pages of a long list, and hostile texts everywhere.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import { people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, goTo, openConsole, openStage, type Stage } from './console.ts';

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;

const text = (tag: string, value: string) => ({ tag, type: 'TextString', value });
const AES = [
  { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'AES' },
  { tag: 'CryptographicLength', type: 'Integer', value: 256 },
  { tag: 'CryptographicUsageMask', type: 'Integer', value: 12 },
  { tag: 'ActivationDate', type: 'DateTime', value: '2024-01-01T00:00:00Z' },
];
const named = (name: string) => ({ tag: 'Name', value: [text('NameValue', name), { tag: 'NameType', type: 'Enumeration', value: 'UninterpretedTextString' }] });
const tagged = (tags: readonly string[]) => ({
  tag: 'Attribute',
  value: [text('VendorIdentification', 'gatehouse'), text('AttributeName', 'tag'), text('AttributeValue', JSON.stringify(tags))],
});

async function createKey(name: string, tags: readonly string[] = []): Promise<string> {
  const value = [
    { tag: 'ObjectType', type: 'Enumeration', value: 'SymmetricKey' },
    { tag: 'Attributes', value: [...AES, named(name), ...(tags.length > 0 ? [tagged(tags)] : [])] },
  ];
  const answer = await server.ask('POST', '/kmip/2_1', { cookie: root, body: { tag: 'Create', value } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.value.find((node: { tag: string }) => node.tag === 'UniqueIdentifier').value;
}

async function make(page: Page, purpose: string, name: string): Promise<void> {
  await goTo(page, 'new-key', 'Make a key');
  await page.getByRole('radio', { name: purpose }).check();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function run(page: Page, trial: string, label: string, value: string, button = trial): Promise<void> {
  await page.getByLabel('What to do').selectOption({ label: trial });
  await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: button, exact: true }).click();
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
  });
  test.after(() => stage?.end());

  test('what is signed is verified, and what is changed is not', async () => {
    const { page, complaints } = await openConsole(browser, server.address, root);
    await make(page, 'Sign', 'releases');
    await run(page, 'Sign', 'Text', 'release 7');
    const jws = (await page.getByLabel('Signed (JWS)', { exact: true }).textContent()) ?? '';
    await run(page, 'Verify a signature', 'Signed text (JWS)', jws);
    await page.getByText('The signature is valid.').waitFor();
    assert.equal(await page.getByLabel('Text', { exact: true }).textContent(), 'release 7');
    const [header, , signature] = jws.split('.');
    await run(page, 'Verify a signature', 'Signed text (JWS)', `${header}.${Buffer.from('release 8').toString('base64url')}.${signature}`);
    await page.getByText('The signature is not valid.').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('keys can be tried on a server whose answers have the compact names', async () => {
    const compact = await startServer({ config: '[keys]\njson_names = "compact"\n' });
    try {
      const { page, complaints } = await openConsole(browser, compact.address, await signInAdmin(compact));
      await make(page, 'Sign', 'releases');
      await run(page, 'Sign', 'Text', 'release 7');
      await page.getByLabel('Signed (JWS)', { exact: true }).waitFor();
      await make(page, 'Authenticate messages', 'messages');
      await run(page, 'Make a MAC', 'Text', 'a message');
      await page.getByLabel('MAC (base64url)', { exact: true }).waitFor();
      assert.deepEqual(complaints, []);
      await page.context().close();
    } finally {
      await compact.end();
    }
  });

  test('a MAC is made and verified, a file too', async () => {
    const { page, complaints } = await openConsole(browser, server.address, root);
    await make(page, 'Authenticate messages', 'messages');
    await run(page, 'Make a MAC', 'Text', 'a message');
    const mac = (await page.getByLabel('MAC (base64url)', { exact: true }).textContent()) ?? '';
    await page.getByLabel('What to do').selectOption({ label: 'Verify a MAC' });
    await page
      .getByLabel('Or a file of at most 1 MiB')
      .setInputFiles({ name: 'message', mimeType: 'application/octet-stream', buffer: Buffer.from('a message') });
    await page.getByLabel('MAC (base64url)').fill(mac);
    await page.getByRole('button', { name: 'Verify a MAC' }).click();
    await page.getByText('The MAC is valid.').waitFor();
    await page
      .getByLabel('Or a file of at most 1 MiB')
      .setInputFiles({ name: 'message', mimeType: 'application/octet-stream', buffer: Buffer.from('another') });
    await page.getByRole('button', { name: 'Verify a MAC' }).click();
    await page.getByText('The MAC is not valid.').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('a key is revoked and destroyed only when its name is typed, and the dialog names who loses it', async () => {
    const some = people(server, root);
    await some.realm('team');
    await some.user('team', 'ada', 'ada password');
    const id = await createKey('payroll');
    await server.ask('POST', '/access/grant', { cookie: root, body: { unique_identifier: id, user_id: 'team/ada', operation_types: ['encrypt'] } });
    const { page } = await openConsole(browser, server.address, root, `key/${id}`);
    const dialog = page.getByRole('dialog');
    const state = async () =>
      (await server.ask('GET', '/access/owned?limit=100', { cookie: root })).body.find((each: { object_id: string }) => each.object_id === id).state;
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('team/ada may use it now').waitFor();
    await assertFit(page, 'the dialog');
    await dialog.getByLabel('Type payroll to go on').fill('payrol');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('This is not the name: payroll').waitFor();
    assert.equal(await state(), 'Active');
    await dialog.getByLabel('Type payroll to go on').fill('payroll');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Deactivated', { exact: true }).first().waitFor();
    assert.equal(await state(), 'Deactivated');
    await page.getByRole('button', { name: 'Destroy' }).click();
    await dialog.getByLabel('Type payroll to go on').fill('payroll');
    await dialog.getByRole('button', { name: 'Destroy' }).click();
    await page.getByText('Destroyed', { exact: true }).first().waitFor();
    await page.context().close();
  });

  test('a key is ended by what one sees of its name, and by its identifier where nothing is seen of it', async () => {
    const { page } = await openConsole(browser, server.address, root);
    const dialog = page.getByRole('dialog');
    for (const [name, seen] of [
      ['double  space', 'double space'],
      ['two\nlines', 'two lines'],
      ['a\ttab', 'a tab'],
      ['de\u0301compose\u0301', 'décomposé'],
      ['\u202egnp.pdf', 'gnp.pdf'],
      [' \u200b', undefined],
    ] as const) {
      const id = await createKey(name);
      await goTo(page, `key/${id}`, seen === undefined ? id : /./);
      await page.getByRole('button', { name: 'Revoke' }).click();
      const field = dialog.getByRole('textbox', { name: /^Type/ });
      await field.fill('another');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByText('This is not the name').waitFor();
      await field.fill(seen ?? id);
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Deactivated', { exact: true }).first().waitFor();
    }
    await goTo(page, 'keys', 'Keys');
    for (const link of await page.getByRole('table').getByRole('link').all()) assert.match((await link.textContent()) ?? '', /[\p{L}\p{N}]/u);
    await page.context().close();
  });

  test('a long list is read a page at a time', async () => {
    for (let at = 0; at < 27; at++) await createKey(`many ${at}`, ['many']);
    const { page } = await openConsole(browser, server.address, root, 'keys?tag=many');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await page.getByText('1 to 25 of 27').waitFor();
    assert.equal(await page.getByRole('row').count(), 26);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26 to 27 of 27').waitFor();
    assert.equal(await page.getByRole('row').count(), 3);
    const locate = asked.find((body) => body.includes('"Locate"')) ?? '';
    assert.match(locate, /"MaximumItems","type":"Integer","value":25.*"OffsetItems","type":"Integer","value":25/);
    await page.getByLabel('Name').fill('many 3');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 to 1 of 1').waitFor();
    await page.context().close();
  });

  test('hostile names, tags and texts are shown as text, and nothing sticks out', async () => {
    const hostile = [
      '<img src=x onerror=alert(1)>',
      '\u202egnp.exe',
      'zero\u200bwidth',
      'w'.repeat(200),
      '"><script>alert(2)</script>',
      '{{7*7}}',
      "' onfocus='alert(3)",
    ];
    const ids = [];
    for (const name of hostile) ids.push(await createKey(name, [name, 'hostile']));
    const { page, complaints, strayed } = await openConsole(browser, server.address, root, 'keys?tag=hostile', { width: 360 });
    page.on('dialog', () => complaints.push('a script of others ran'));
    await page.getByText(/of 7$/).waitFor();
    for (const name of hostile) assert.equal(await page.getByRole('link').filter({ hasText: name }).count(), 1, name);
    await assertFit(page, 'the list');
    for (const [at, id] of ids.entries()) {
      await goTo(page, `key/${id}`, /./);
      await page.locator('main h1', { hasText: hostile[at] as string }).waitFor();
      assert.deepEqual([await page.locator('main img, main script').count(), await page.locator('.tag bdi').count()], [0, 2]);
      await assertFit(page, hostile[at] as string);
    }
    await page.getByLabel('Text', { exact: true }).fill('<b onclick=alert(4)>bold</b>');
    await page.getByRole('button', { name: 'Encrypt' }).click();
    const jwe = (await page.getByLabel('Encrypted (JWE)', { exact: true }).textContent()) ?? '';
    await run(page, 'Decrypt', 'Encrypted text (JWE)', jwe);
    await page.getByText('<b onclick=alert(4)>bold</b>', { exact: true }).waitFor();
    assert.deepEqual([complaints, strayed], [[], []]);
    await page.context().close();
  });
}

test.run();
