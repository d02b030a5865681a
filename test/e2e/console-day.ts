// A day with the console in Chromium, by keyboard alone: from the first sign-in of an administrator to the audit.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../browser.ts';
import { until } from '../runtime.ts';
import { startServer, type TestServer } from '../server.ts';
import { assertFit, press, tabTo, typeInto } from './console.ts';

/** Set to keep pictures of the story in a folder; docs/screenshots has some of them. */
const PICTURES = process.env['GATEHOUSE_TEST_PICTURES'];
const OWN = 'a password of ada';

interface Story {
  readonly page: Page;
  readonly server: TestServer;
  /** Checks the view that is shown, and keeps a picture of it. */
  look(name: string): Promise<void>;
}

async function title(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Opens the menu if there is one, and follows a link of the navigation. */
async function navigate(page: Page, label: string): Promise<void> {
  if (!(await page.getByRole('navigation').isVisible())) await press(page, 'Menu');
  await press(page, label, 'link');
}

async function signIn({ page, server }: Story, realm: string, user: string, password: string, changed: string): Promise<void> {
  await page.goto(`${server.address}/console`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await typeInto(page, 'Realm', realm);
  await typeInto(page, 'User', user);
  await typeInto(page, 'Password', password);
  await page.keyboard.press('Enter');
  await page.getByLabel('New password', { exact: true }).waitFor();
  await typeInto(page, 'New password', changed);
  await typeInto(page, 'Repeat the new password', changed);
  await page.keyboard.press('Enter');
  await title(page, /Welcome/);
}

async function signOut(page: Page): Promise<void> {
  await press(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
}

/** The administrator adds a second factor with the secret beside the QR code. */
async function addFactor({ page, server, look }: Story): Promise<void> {
  await navigate(page, 'Your account');
  await title(page, 'Your account');
  await look('account');
  await press(page, 'Add a second factor');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await look('second-factor');
  await typeInto(page, 'Code', new TOTP({ secret }).generate({ timestamp: server.clock.now() }));
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('each sign-in asks for a code').waitFor();
}

/** A realm with two people, and a role with a secret id. */
async function setUp({ page, look }: Story): Promise<void> {
  await navigate(page, 'Realms and people');
  await title(page, 'Realms and people');
  await press(page, 'Make a realm');
  await typeInto(page, 'Name', 'team');
  await press(page, 'Make it');
  await title(page, 'Realm team');
  for (const name of ['ada', 'bob']) {
    await press(page, 'Add a person');
    await typeInto(page, 'User name', name);
    await typeInto(page, 'First password', `first of ${name}`);
    await press(page, 'Add');
    await page.getByRole('link', { name, exact: true }).waitFor();
  }
  await look('realm');
  await navigate(page, 'Machines');
  await press(page, 'Make a role');
  await typeInto(page, 'Name', 'deploy');
  await press(page, 'Make it');
  await title(page, 'Role deploy');
  await press(page, 'Make a secret id');
  await press(page, 'Make it');
  await page.getByRole('heading', { name: 'The secret id' }).waitFor();
  assert.match((await page.getByRole('dialog').locator('code').textContent()) ?? '', /^[0-9a-f-]{36}$/);
  await press(page, 'Done');
  await page.getByRole('button', { name: /^Destroy/ }).waitFor();
  await look('role');
}

/** Makes a key, grants it, encrypts and rotates. @returns the encrypted text */
async function useKey({ page, look }: Story): Promise<string> {
  await navigate(page, 'Keys');
  await title(page, 'Keys');
  await look('no-keys');
  await press(page, 'Make a key', 'link');
  await title(page, 'Make a key');
  await look('new-key');
  await typeInto(page, 'Name', 'invoices');
  await typeInto(page, 'Tags', 'billing, 2026');
  await press(page, 'Make the key');
  await title(page, 'invoices');
  await tabTo(page, 'textbox', 'Text');
  await page.keyboard.type('a secret of ada');
  await press(page, 'Encrypt');
  const jwe = (await page.getByLabel('Encrypted (JWE)', { exact: true }).textContent()) ?? '';
  assert.equal(jwe.split('.').length, 5);
  await page.locator('summary').focus();
  await page.keyboard.press('Enter');
  await typeInto(page, 'User', 'team/bob');
  await press(page, 'Grant');
  await page.getByRole('row', { name: /team\/bob/ }).waitFor();
  await look('key');
  await press(page, 'Rotate');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('This key', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Rotations' }).waitFor();
  await look('rotated');
  return jwe;
}

/** The grantee finds the old key among those that were granted, and decrypts. */
async function decrypt({ page, look }: Story, jwe: string): Promise<void> {
  const { kid } = JSON.parse(Buffer.from(jwe.split('.')[0] as string, 'base64url').toString()) as { kid: string };
  await navigate(page, 'Keys');
  await title(page, 'Keys');
  await page.getByLabel('Whose').focus();
  await page.keyboard.press('G');
  await press(page, 'Search');
  const link = page.locator(`a[href="#/key/${kid}"]`);
  await link.waitFor();
  // A view that has just been opened gives the focus to its heading.
  await until(async () => {
    if (await page.getByLabel('What to do').isVisible()) return true;
    // It may go while it gets the focus: then the page is open.
    await link.press('Enter', { timeout: 500 }).catch(() => undefined);
    return false;
  }, 'the page of the key is open');
  await page.getByLabel('What to do').focus();
  // One letter is enough; a slow machine takes the letters of a word for the beginnings of several.
  await page.keyboard.press('D');
  await page.getByLabel('Encrypted text (JWE)').focus();
  await page.keyboard.insertText(jwe);
  await press(page, 'Decrypt');
  assert.equal(await page.getByLabel('Text', { exact: true }).textContent(), 'a secret of ada');
  await look('decrypted');
}

/** The administrator, who enters a code now, finds all of it. */
async function findInAudit({ page, server, look }: Story, password: string, secret: () => string): Promise<void> {
  await page.goto(`${server.address}/console#/audit`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await typeInto(page, 'Realm', '_');
  await typeInto(page, 'User', 'admin');
  await typeInto(page, 'Password', password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code').waitFor();
  await typeInto(page, 'Code', secret());
  await page.keyboard.press('Enter');
  await title(page, 'Audit');
  const events = await page.getByRole('row').allTextContents();
  for (const event of [
    'totp.enable',
    'realm.create',
    'credential.create',
    'approle.put',
    'secret_id.create',
    'key.create',
    'key.grant',
    'key.rekey',
    'password.change',
  ])
    assert.ok(
      events.some((row) => row.includes(event)),
      `${event} in ${events.join('\n')}`,
    );
  await look('audit');
}

/** Tells it once, and checks each view on the way. */
export async function tell(browser: Browser, width: number, dark: boolean): Promise<void> {
  const server = await startServer();
  const opened = await openPage(browser, server.address, { width, dark, height: width === 360 ? 740 : 860 });
  const { page } = opened;
  let secret = '';
  try {
    const look = async (name: string) => {
      await assertFit(page, name);
      if (name === 'second-factor') secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
      if (!PICTURES) return;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: `${PICTURES}/${name}-${width}${dark ? '-dark' : ''}.png` });
    };
    const story = { page, server, look };
    await signIn(story, '_', 'admin', server.initialPassword, 'own password of root');
    await look('overview');
    await addFactor(story);
    await setUp(story);
    await signOut(page);
    await signIn(story, 'team', 'ada', 'first of ada', OWN);
    const jwe = await useKey(story);
    await signOut(page);
    await signIn(story, 'team', 'bob', 'first of bob', 'a password of bob');
    await decrypt(story, jwe);
    await signOut(page);
    await findInAudit(story, 'own password of root', () => new TOTP({ secret }).generate({ timestamp: server.clock.now() + 30_000 }));
    // Sign-ins that need a further step are answered with 401 to programs; the page takes these answers for what they are.
    assert.deepEqual([opened.complaints, opened.strayed], [[], []]);
  } finally {
    await page.context().close();
    await server.end();
  }
}
