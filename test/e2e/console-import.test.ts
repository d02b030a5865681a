// Keys that were made elsewhere come in on the console in Chromium: PEM, JWK, bytes, a file; and what is none of them is refused with what is wrong.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, goTo, openConsole, openStage, type Stage } from './console.ts';

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;

const pair = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

async function bring(page: Page, use: string, name: string, key: string | Buffer): Promise<void> {
  await goTo(page, 'import-key', 'Import a key');
  if (typeof key === 'string') await page.getByLabel('Key', { exact: true }).fill(key);
  else await page.getByLabel('Or a file').setInputFiles({ name: 'key', mimeType: 'application/octet-stream', buffer: key });
  await page.getByLabel('What it is for').selectOption({ label: use });
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Tags').fill('brought, elsewhere');
  await page.getByRole('button', { name: 'Import the key' }).click();
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
  });
  test.after(() => stage?.end());

  test('a private key from PEM signs as its owner would, with its name and tags', async () => {
    const { page, complaints } = await openConsole(browser, server.address, root, 'keys');
    await page.getByRole('link', { name: 'Import a key' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Import a key' }).waitFor();
    await assertFit(page, 'import-key');
    await bring(page, 'Sign with ES256', 'releases', pair.privateKey);
    await page.getByRole('heading', { level: 1, name: 'releases' }).waitFor();
    await page.getByText('elsewhere', { exact: true }).waitFor();
    await page.getByLabel('What to do').selectOption({ label: 'Sign' });
    await page.getByLabel('Text', { exact: true }).fill('release 7');
    await page.getByRole('button', { name: 'Sign', exact: true }).click();
    const [header, payload, signature] = ((await page.getByLabel('Signed (JWS)', { exact: true }).textContent()) ?? '').split('.');
    const verify = createVerify('sha256').update(`${header}.${payload}`);
    assert.ok(verify.verify({ key: createPublicKey(pair.publicKey), dsaEncoding: 'ieee-p1363' }, Buffer.from(String(signature), 'base64url')));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('secret keys come as base64, as a file of bytes and as JWK, and RSA keys as PEM', async () => {
    const { page } = await openConsole(browser, server.address, root);
    const jwk = JSON.stringify({ kty: 'oct', k: randomBytes(16).toString('base64url') });
    const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    for (const [use, name, key] of [
      ['Encrypt data (AES-GCM)', 'from base64', randomBytes(32).toString('base64')],
      ['Make MACs (HMAC with SHA-256)', 'from a file', Buffer.concat([Buffer.from([0, 255]), randomBytes(30)])],
      ['Wrap keys (AES key wrap)', 'from a JWK', jwk],
      ['Sign with RSA (PS256)', 'from RSA', pem],
      ['Sign with RSA (RS256)', 'public', rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string],
    ] as const) {
      await bring(page, use, name, key);
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await page.context().close();
  });

  test('an RSA key made for RS256 signs by RS256, and one for RSA-OAEP encrypts by it', async () => {
    const { page } = await openConsole(browser, server.address, root);
    const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    for (const [use, name, deed, result, alg] of [
      ['Sign with RSA (RS256)', 'for RS256', 'Sign', 'Signed (JWS)', 'RS256'],
      ['Encrypt keys with RSA (OAEP)', 'for OAEP', 'Encrypt', 'Encrypted (JWE)', 'RSA-OAEP-256'],
    ] as const) {
      await bring(page, use, name, pem);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      if (deed === 'Encrypt')
        await page
          .getByRole('link', { name: /public/i })
          .first()
          .click();
      await page.getByLabel('What to do').selectOption({ label: deed });
      await page.getByLabel('Text', { exact: true }).fill('release 8');
      await page.getByRole('button', { name: deed, exact: true }).click();
      const [header = ''] = ((await page.getByLabel(result, { exact: true }).textContent()) ?? '').split('.');
      assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, alg);
    }
    await page.context().close();
  });

  test('what is no such key is refused with what is wrong, and nothing is kept of it', async () => {
    const { page } = await openConsole(browser, server.address, root);
    const count = async () => (await server.ask('GET', '/access/owned?limit=100', { cookie: root })).body.length as number;
    const before = await count();
    const old = createPrivateKey(pair.privateKey).export({ type: 'sec1', format: 'pem' }) as string;
    for (const [use, key, complaint] of [
      ['Sign with ES256', old, /PKCS #8.*openssl pkcs8 -topk8 -nocrypt/],
      ['Sign with ES384', pair.privateKey, /not a key for: Sign with ES384/],
      ['Sign with Ed25519', 'AAAA', /PEM or JWK/],
      ['Encrypt data (AES-GCM)', pair.privateKey, /a secret key is base64 or JWK/],
      ['Encrypt data (AES-GCM)', '{"kty":', /not JSON/],
      ['Encrypt data (AES-GCM)', '?', /neither PEM, nor JWK, nor base64/],
      ['Encrypt data (AES-GCM)', '', /Paste the key, or choose its file/],
    ] as const) {
      await bring(page, use, 'wrong', key);
      await page.getByRole('alert').filter({ hasText: complaint }).waitFor();
    }
    assert.equal(await count(), before);
    await page.context().close();
  });
}

test.run();
