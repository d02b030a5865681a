// The key suite over the keys that the server stores itself, and over a kind that is made up for the test.
import { test } from 'uvu';
import { softwareKeys } from '../../../actors/kmip/object/software-key/software-key.ts';
import { privateKey, publicKey, secret } from '../../fakes/keys.ts';
import { madeUpPlace } from '../../fakes/made-up-keys.ts';
import { keySuite } from './key.suite.ts';
import { MECHANISMS } from './key-mechanisms.ts';

keySuite({
  name: 'software keys',
  kind: softwareKeys,
  can: MECHANISMS,
  missing: (mechanism) => mechanism,
  takesMaterial: true,
  givesMaterial: true,
  takesIv: true,
  secret: async (id, algorithm, material, options) => secret(id, material, algorithm, options),
  pair: async (id, algorithm, pair) => ({
    privateKey: privateKey(`${id}-private`, pair.privateKey, algorithm),
    publicKey: publicKey(`${id}-public`, pair.publicKey, algorithm),
  }),
});

keySuite(madeUpPlace);

test.run();
