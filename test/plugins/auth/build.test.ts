// GET /version/build: administrators see what the server was built from; everybody else sees the version only.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import { readBuildFacts } from '../../../kernel/build-facts.ts';
import { people } from '../../people.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';

// covers: GET /version/build
test('administrators of any realm get the facts of the build, others are refused', async () => {
  const server = await startServer();
  const they = people(server, await signInAdmin(server));
  await they.realm('mine');
  const eve = await they.realmAdmin('mine', 'eve');
  await they.user('mine', 'plain', 'plain password');
  const plain = await they.session('mine', 'plain', 'plain password');
  for (const cookie of [they.root, eve]) {
    const { status, body } = await server.ask('GET', '/version/build', { cookie });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ...{ version: '0.0.0-test', package: 'clone', commit: null, changed: false, source_time: null },
      ...{ node: process.versions.node, openssl: process.versions.openssl, sqlite: process.versions['sqlite'], v8: process.versions.v8 },
      ...{ platform: process.platform, arch: process.arch },
    });
  }
  assert.equal((await server.ask('GET', '/version/build', { cookie: plain })).status, 403);
  assert.equal((await server.ask('GET', '/version/build')).status, 401);
  assert.equal((await server.ask('GET', '/version')).text, '0.0.0-test');
  await server.end();
});

test('the facts of a package come from its file', () => {
  const folder = temporaryFolder();
  const facts = { package: 'debian', commit: 'a'.repeat(40), changed: false, source_time: '2026-01-01T00:00:00.000Z' };
  writeFileSync(join(folder, 'build.json'), JSON.stringify(facts));
  assert.deepEqual(readBuildFacts(pathToFileURL(join(folder, 'build.json'))), facts);
  rmSync(folder, { recursive: true });
});

test.run();
