// A page of another origin in Chromium, which has the cookie of the session sent along: it frames no page of the server, and changes nothing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import { openPage } from '../browser.ts';
import { people } from '../people.ts';
import { docx } from '../plugins/ai/files.ts';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { giveCookie, openStage, type Stage } from './console.ts';

const PAGES = ['/console', '/ai', '/interactive-docs', '/sign-in', '/'] as const;

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;
let foreign: Server;

/** Another port of the same machine with https is another origin of the same site, so that a SameSite cookie goes along. */
async function openForeign(): Promise<{ page: Page; complaints: string[] }> {
  const { page, complaints } = await openPage(browser, server.address);
  await giveCookie(page, server.address, root);
  await page.goto(`https://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
  return { page, complaints };
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(server.dataDir, 'tls', name)));
    foreign = createServer({ cert, key }, (_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>elsewhere</title><h1>elsewhere</h1>'),
    );
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  });
  test.after(async () => {
    await stage?.end();
    await new Promise((resolve) => (foreign ? foreign.close(resolve) : resolve(undefined)));
  });

  for (const path of PAGES)
    test(`${path} cannot be framed`, async () => {
      const { page, complaints } = await openForeign();
      const loaded = `new Promise((resolve) => { const frame = document.createElement('iframe'); frame.src = '${server.address}${path}'; frame.onload = () => resolve(true); document.body.append(frame); })`;
      await page.evaluate(loaded);
      const inside = page.frames().find((frame) => frame !== page.mainFrame());
      assert.equal(await inside?.locator('form, nav, main, button').count(), 0);
      // With a cookie the server refuses a request from another origin before there is anything to frame.
      assert.ok(
        complaints.some((text) => /frame-ancestors 'none'|status of 403/.test(text)),
        complaints.join('\n'),
      );
      await page.context().close();
    });

  test('requests that a page may send without asking are refused: made, changed, added or ended is nothing', async () => {
    const some = people(server, root);
    await some.realm('team');
    const { page } = await openForeign();
    const paths = ['/admins/realms', '/auth/approle/role/forged', '/v1/crypto/keys', '/access/transfer', '/sessions/realms/_/clients'];
    const document = (await docx(['forged'])).toString('base64');
    const send = (path: string, body: string, type?: string) =>
      page.evaluate(
        `fetch('${server.address}${path}', { method: 'POST', mode: 'no-cors', credentials: 'include', ${type === undefined ? '' : `headers: { 'content-type': '${type}' }, `}body: ${body} }).then(() => 'sent', () => 'not sent')`,
      );
    const json = JSON.stringify(JSON.stringify({ id: 'forged', auth_params: {}, kty: 'oct', alg: 'A256GCM' }));
    for (const path of paths)
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) assert.equal(await send(path, json, type), 'sent', `${path} ${type}`);
    const form = `(() => { const form = new FormData(); form.append('db', 'documents'); form.append('reference', 'forged');
      form.append('file', new File([Uint8Array.from(atob('${document}'), (each) => each.charCodeAt(0))], 'forged.docx')); return form; })()`;
    assert.equal(await send('/add_reference', form), 'sent');
    // A form that is sent opens the answer; what is sent is the same.
    await page.evaluate(`(() => { const form = document.createElement('form'); form.method = 'post'; form.action = '${server.address}/admins/realms';
      form.enctype = 'text/plain'; const field = document.createElement('input'); field.name = '{"id":"forged","auth_params":{},"x":"'; field.value = '"}';
      form.append(field); document.body.append(form); form.submit(); })()`);
    await page.waitForURL(`${server.address}/admins/realms`);
    assert.match((await page.textContent('body')) ?? '', /the request comes from another origin/);
    const ask = async (path: string) => (await server.ask('GET', path, { cookie: root })).body;
    assert.deepEqual((await ask('/admins/realms')).map(({ id }: { id: string }) => id).sort(), ['_', 'team']);
    assert.deepEqual((await ask('/auth/approle/role?list=true')).data.keys, []);
    assert.deepEqual(await ask('/access/owned'), []);
    assert.equal(JSON.stringify(await ask('/documentary_bases')).includes('forged'), false);
    assert.equal((await server.ask('GET', '/whoami', { cookie: root })).status, 200);
    await page.context().close();
  });
}

test.run();
