// The client in Chromium, as a page of the same server loads it: it signs in, calls, reads lists page by page, and seals and opens envelopes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import { javaScriptOf } from '../../packaging/emit.ts';
import { openBrowser, openPage } from '../browser.ts';
import { root } from '../e2e/started.ts';
import { startServer } from '../server.ts';
import { skipWithout } from '../system.ts';

/** A page of somebody who serves it beside the API: its modules are those of the package. */
const PAGE = '/pages-of-somebody/';

const STORY = `async ([user, password]) => {
  const { Client, GatehouseError, sealEnvelope, openEnvelope, text } = await import('${PAGE}index.js');
  const client = new Client({ address: location.origin });
  const first = await client.as({ user, password }).signIn({ query: { realm: '_' } });
  const signed = await client.as({ user, password }).signIn({ query: { realm: '_' }, body: { new_password: 'a password of the page' } });
  // From here on the cookie of the page is the credential.
  const me = await client.call('GET /me');
  const keys = [];
  for (let at = 0; at < 3; at++) keys.push((await client.call('POST /v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } })).kid);
  const owned = [];
  for await (const each of client.list('GET /access/owned', { query: { limit: 2 } })) owned.push(each.object_id);
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const large = new Uint8Array(3_000_000).map((_, at) => content[at % content.length]);
  const aad = btoa('page').replaceAll('=', '');
  const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const seal = async (key) => JSON.stringify(await client.call('POST /v1/crypto/encrypt', { body: { kid: keys[0], alg: 'dir', enc: 'A256GCM', data: base64url(key), aad } }));
  const open = async (sealed) => {
    const { data } = await client.call('POST /v1/crypto/decrypt', { body: JSON.parse(sealed) });
    return Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  };
  const parts = [];
  for await (const part of sealEnvelope(new Blob([large]).stream(), seal)) parts.push(part);
  const opened = [];
  for await (const part of openEnvelope(new Blob(parts).stream(), open)) opened.push(part);
  const back = new Uint8Array(await new Blob(opened).arrayBuffer());
  const refusal = await client.kmip('Get', [text('UniqueIdentifier', 'none')]).catch((error) => error);
  return {
    steps: [first.next_step, signed.next_step], me: me.user, cookie: signed.cookie ?? null, sameKeys: keys.sort().join() === owned.sort().join(),
    isSame: back.length === large.length && back.every((byte, at) => byte === large[at]),
    refusal: refusal instanceof GatehouseError && refusal.status + ' ' + refusal.code,
  };
}`;

if (!skipWithout('chromium'))
  test('a page signs in with it, makes keys, lists them, and seals and opens three megabytes', async () => {
    const server = await startServer();
    const browser = await openBrowser();
    const { page, strayed } = await openPage(browser, server.address);
    await page.route(`${server.address}${PAGE}**`, (route) => {
      const name = basename(new URL(route.request().url()).pathname);
      if (!name.endsWith('.js')) return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>of somebody</title>' });
      const path = `client/${name.replace(/\.js$/, '.ts')}`;
      return route.fulfill({ contentType: 'text/javascript', body: javaScriptOf(readFileSync(join(root, path), 'utf8'), path) });
    });
    await page.goto(`${server.address}${PAGE}`);
    const told = await page.evaluate(`(${STORY})(${JSON.stringify(['admin', server.initialPassword])})`);
    assert.deepEqual(told, {
      ...{ steps: ['ChangePassword', 'Authenticated'], me: '_/admin', sameKeys: true, isSame: true, refusal: '422 KEYS_REFUSED' },
      // Scripts do not see the cookie of the session.
      cookie: null,
    });
    assert.deepEqual(strayed, []);
    await browser.close();
    await server.end();
  });

test.run();
