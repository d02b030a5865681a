// Opens the views of the console in Chromium as somebody does who follows links, and takes the time until a view is whole.
import type { Page, Response } from 'playwright-core';
import { openBrowser, openPage } from '../../test/browser.ts';
import { giveCookie } from '../../test/e2e/console.ts';
import { BUSY_ACTOR, RARE_EVENT } from '../filling/events.ts';
import { keyName } from '../filling/objects.ts';
import { FILL_REALM, FIRST_USER, roleName } from '../filling/people.ts';
import { e, json, memberOf, n, s, t } from '../load/kmip-json.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { type Answered, rowsIn } from './asked.ts';

export interface Opened {
  /** Until nothing of the view changed any more. */
  readonly ms: number;
  readonly answers: readonly Answered[];
  /** Rows of its tables. */
  readonly shown: number;
}

export interface Views {
  /** Addresses of views by what they are. */
  readonly all: Readonly<Record<string, string>>;
  open(view: string): Promise<Opened>;
  close(): Promise<void>;
}

/** A view is whole when nothing is asked and nothing has changed for this time. */
const QUIET_MS = 250;
const PATIENCE_MS = 20_000;
/** An answer that is a list of up to this many rows may be read for a number: an overview says how many realms there are. */
export const A_FEW = 5;

/** Waits in the page, where no message to another process counts. Evaluated by the debugger, which the policy of the page does not concern. */
const OPEN = `(view) => new Promise((done, failed) => {
  const begun = performance.now();
  let asked = 0, changed = begun;
  window.ownFetch ??= window.fetch;
  window.fetch = async (...given) => {
    asked += 1;
    try { return await window.ownFetch(...given); } finally { asked -= 1; changed = performance.now(); }
  };
  const main = document.querySelector('main');
  const watching = new MutationObserver(() => { changed = performance.now(); });
  watching.observe(main, { childList: true, subtree: true, attributes: true, characterData: true });
  const look = () => {
    if (performance.now() - begun > ${PATIENCE_MS}) return failed(new Error('the view ' + view + ' is not whole: ' + asked + ' requests are not answered'));
    if (asked > 0 || changed === begun || performance.now() - changed < ${QUIET_MS}) return setTimeout(look, 10);
    watching.disconnect();
    done({ ms: changed - begun, shown: main.querySelectorAll('tbody tr').length });
  };
  location.hash = view;
  look();
})`;

export async function consoleViews(server: ServerProcess): Promise<Views> {
  const browser = await openBrowser();
  const { page } = await openPage(browser, server.address, { width: 1_280 });
  await giveCookie(page, server.address, server.cookie.slice(server.cookie.indexOf('=') + 1));
  await page.goto(`${server.address}/console`);
  await page.locator('main h1').waitFor();
  const own = await idOf(server, keyName(5));
  return { all: addresses(own), open: (view) => opened(page, view), close: () => browser.close() };
}

async function opened(page: Page, view: string): Promise<Opened> {
  await page.evaluate(`(${OPEN})('#/anonymize')`);
  const answers: Promise<Answered | undefined>[] = [];
  const note = (response: Response) => void answers.push(answered(response));
  page.on('response', note);
  const { ms, shown } = (await page.evaluate(`(${OPEN})(${JSON.stringify(`#/${view}`)})`)) as { ms: number; shown: number };
  page.off('response', note);
  if (await page.locator('main h1', { hasText: /cannot be shown|no such page/ }).count())
    throw new Error(`the view ${view}: ${await page.locator('main').innerText()}`);
  return { ms, shown, answers: (await Promise.all(answers)).filter((each) => each !== undefined) };
}

/** Modules are not asked again, and events that follow a change end with the view. */
async function answered(response: Response): Promise<Answered | undefined> {
  const type = response.headers()['content-type'] ?? '';
  if (!type.startsWith('application/json')) return undefined;
  const text = await response.text();
  const { requestStart, responseEnd } = response.request().timing();
  return { ms: responseEnd - requestStart, rows: rowsIn(text) };
}

async function idOf({ ask, cookie }: ServerProcess, name: string): Promise<string> {
  const attribute = s('Name', t('NameValue', name), e('NameType', 'UninterpretedTextString'));
  return memberOf(await ask(json(cookie, ['Locate', [n('MaximumItems', 1), s('Attributes', attribute)]])), 'UniqueIdentifier');
}

function addresses(own: string): Readonly<Record<string, string>> {
  const asked = (of: string, filter: Readonly<Record<string, string>>) => `${of}?${new URLSearchParams(filter)}`;
  return {
    overview: '',
    keys: 'keys',
    'keys, a later page': asked('keys', { offset: '10000' }),
    'keys of a tag that all have': asked('keys', { tag: 'all' }),
    'keys of a tag of fifty': asked('keys', { tag: 'few 20' }),
    'keys of a state and an algorithm': asked('keys', { state: 'Deactivated', algorithm: 'AES' }),
    'keys that others granted': asked('keys', { scope: 'granted' }),
    'a key': `key/${own}`,
    'make a key': 'new-key',
    'import a key': 'import-key',
    realms: 'realms',
    'a realm': `realm/${FILL_REALM}`,
    'a person with many sessions': `person/${FILL_REALM}/${FIRST_USER}`,
    administrators: 'admins',
    machines: 'machines',
    'a role with many secret ids': `machine/approle/${roleName(0)}`,
    HSMs: 'hsms',
    operations: 'operations',
    audit: 'audit',
    'audit of an actor': asked('audit', { actor: BUSY_ACTOR }),
    'audit of a rare event': asked('audit', { event: RARE_EVENT }),
    'audit of a realm and an event': asked('audit', { realm: FILL_REALM, event: 'login' }),
    account: 'account',
  };
}
