// The names of a pair: each half leads to the other, and one file says how.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { isPublicName, publicName, withoutPublicEnd } from '../../kmip/pair-name.ts';
import { read, SOURCES } from '../house/sources.ts';

test('the name of the public key leads to that of the private key and back', () => {
  for (const name of ['key', 'hsm::soft_hsm::0::key', 'key_pk', '']) {
    assert.ok(isPublicName(publicName(name)));
    assert.equal(withoutPublicEnd(publicName(name)), name);
  }
  assert.equal(isPublicName('key_pk::1'), false);
  assert.equal(withoutPublicEnd('key_pk::1'), 'key_pk::1');
});

test('one file writes the end of public names', () => {
  const writers = SOURCES.filter((file) => file.endsWith('.ts') && /_pk['`$]/.test(read(file)));
  // The tag of all public keys looks alike.
  assert.deepEqual(writers, ['actors/kmip/object/index-terms.ts', 'kmip/pair-name.ts']);
});

test.run();
