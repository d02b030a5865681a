// The names that the configuration takes are those of the enumeration.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { ALGORITHMS } from '../../../plugins/keys/algorithms.ts';

test('[keys] algorithms: every algorithm of the enumeration and no other name', () => {
  assert.deepEqual([...ALGORITHMS].sort(), Object.keys(ENUM.CryptographicAlgorithm).sort());
});

test.run();
