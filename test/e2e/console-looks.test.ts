// Every view of the console in Chromium is accessible, on a desk and on a phone, in light and dark; the HSM is one of SoftHSM.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import { openBrowser } from '../browser.ts';
import { people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { createSoftHsm, type SoftHsm } from '../softhsm.ts';
import { skipWithout } from '../system.ts';
import { assertFit, goTo, openConsole } from './console.ts';

const VIEWS = [
  ['', /^Welcome/],
  ['keys', 'Keys'],
  ['new-key', 'Make a key'],
  ['import-key', 'Import a key'],
  ['realms', 'Realms and people'],
  ['anonymize', 'Anonymization'],
  ['realm/team', 'Realm team'],
  ['person/team/ada', 'ada'],
  ['admins', 'Administrators'],
  ['machines', 'Machines'],
  ['machine/approle/backup', 'Role backup'],
  ['machine/cluster/pods', 'Role pods'],
  ['hsms', 'HSMs'],
  ['operations', 'Operations'],
  ['audit', 'Audit'],
  ['account', 'Your account'],
] as const;

const PODS = { jwks_url: 'https://cluster.example/jwks', bound_service_account_names: ['*'], bound_service_account_namespaces: ['prod'], token_ttl: 60 };

/** Nothing in its texts says where a line may end. */
const PROVIDER = { jwt_issuer_uri: `https://${'i'.repeat(200)}`, jwks_uri: `https://${'k'.repeat(200)}`, jwt_audience: 'a'.repeat(2_048) };

let server: TestServer;
let browser: Browser;
let hsm: SoftHsm;
let root: string;

if (!skipWithout('chromium') && !skipWithout('softhsm2')) {
  test.before(async () => {
    hsm = createSoftHsm();
    const slot = hsm.addToken('console', '12345678');
    server = await startServer({ config: `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["12345678"]\n` });
    root = await signInAdmin(server);
    const some = people(server, root);
    await some.realm('team', { auth_params: { jwt_params: { idp_params: [PROVIDER] } } });
    await some.user('team', 'ada', 'ada password', { roles: ['<b>'] });
    assert.equal((await server.ask('POST', '/auth/approle/role/backup', { cookie: root })).status, 204);
    assert.equal((await server.ask('POST', '/auth/cluster/role/pods', { cookie: root, body: PODS })).status, 204);
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
    hsm?.end();
  });

  for (const [width, dark] of [
    [1280, true],
    [1280, false],
    [360, true],
    [360, false],
  ] as const) {
    test(`every view is accessible at ${width} pixels ${dark ? 'in the dark' : 'in light'}`, async () => {
      const { page, complaints, strayed } = await openConsole(browser, server.address, root, '', { width, dark });
      for (const [view, title] of VIEWS) {
        await goTo(page, view, title);
        await assertFit(page, view);
      }
      assert.deepEqual([complaints, strayed], [[], []]);
      await page.context().close();
    });
  }
}

test.run();
