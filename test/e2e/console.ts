// The console for tests in Chromium: a page with a session, keys of the keyboard, and the rules of accessibility.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { type OpenPage, openBrowser, openPage } from '../browser.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the tests of a file share. */
export interface Stage {
  readonly server: TestServer;
  readonly browser: Browser;
  /** Session cookie of the administrator. */
  readonly root: string;
  end(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const server = await startServer();
  try {
    const [root, browser] = [await signInAdmin(server), await openBrowser()];
    const end = async () => {
      await browser.close();
      await server.end();
    };
    return { server, browser, root, end };
  } catch (error) {
    await server.end();
    throw error;
  }
}

/** Makes a key of the administrator. @returns its identifier */
export async function makeKey({ server, root }: Stage, body: Record<string, unknown>, tags: readonly string[] = []): Promise<string> {
  const made = await server.ask('POST', '/v1/crypto/keys', { cookie: root, body });
  assert.equal(made.status, 200, made.text);
  const tagged = await server.ask('POST', `/v1/crypto/keys/${made.body.kid}/tags`, { cookie: root, body: { tags } });
  assert.equal(tagged.status, 200, tagged.text);
  return made.body.kid;
}

/** Signs the browser of the page in. */
export async function giveCookie(page: Page, address: string, cookie: string): Promise<void> {
  const { hostname } = new URL(address);
  await page.context().addCookies([{ name: '_ea_', value: cookie, domain: hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }]);
}

/** @param view of the address, such as `keys` */
export async function openConsole(
  browser: Browser,
  address: string,
  cookie: string,
  view = '',
  options: { width?: number; height?: number; dark?: boolean } = {},
): Promise<OpenPage> {
  const opened = await openPage(browser, address, options);
  await giveCookie(opened.page, address, cookie);
  await opened.page.goto(`${address}/console#/${view}`);
  await opened.page.locator('main h1').waitFor();
  return opened;
}

/** Goes to another view as a link does. @param title of its heading */
export async function goTo(page: Page, view: string, title: string | RegExp): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** Axe is evaluated by the debugger, which the policy of the page does not concern. @returns what violates WCAG 2.2 A and AA, or good practice */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)')) as {
    id: string;
    nodes: { html: string }[];
  }[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** No violation of accessibility, nothing sticks out sideways. */
export async function assertFit(page: Page, what: string): Promise<void> {
  assert.deepEqual(await violationsOf(page), [], what);
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what} sticks out`);
}

/** Tabs to the element that has the role and the name, as somebody without a mouse does. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: typeof name === 'string' }).first();
  await wanted.waitFor();
  for (let tried = 0; tried < 120; tried++) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the keyboard does not reach the ${role} ${name}`);
}

/** Types into a field, in place of what it holds. */
export async function typeInto(page: Page, name: string | RegExp, text: string, role: Parameters<Page['getByRole']>[0] = 'textbox'): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** Presses a button or follows a link. */
export async function press(page: Page, name: string | RegExp, role: Parameters<Page['getByRole']>[0] = 'button'): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}
