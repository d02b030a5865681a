// The key suite over keys on a real token, that of SoftHSM.
import { test } from 'uvu';
import { tokenPlace } from '../../fakes/token-keys.ts';
import { skipWithout } from '../../system.ts';
import { keySuite } from './key.suite.ts';

if (!skipWithout('softhsm2')) {
  const { place, end } = await tokenPlace();
  test.after(end);
  keySuite(place);
  test.run();
}
