// A token that has few sessions: each call that finds none for its own thread is done in that of the instance.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canBuild } from '../../fakes/pkcs11-fault/build.ts';
import { skipWithout } from '../../system.ts';
import { endFaulty, startFaulty } from './faulty-server.ts';
import { boolean, bytes, done, identifier, kmip, makeSecret, refused, structure } from './hsm-server.ts';

if (!skipWithout('softhsm2') && canBuild()) {
  test.after.each(endFaulty);

  for (const more of ['', 'threads = 2'])
    test(`two sessions of a slot are enough for all but operations in parts: ${more || 'one thread for uses'}`, async () => {
      const { admin, ids, encrypt } = await startFaulty(more, 'sessions 2');
      const [key] = ids('key');
      await Promise.all([...ids('made'), ...ids('made too')].map((id) => done(makeSecret(admin, id))));
      await Promise.all([...ids('made'), key].map((id) => done(encrypt(id))));
      const found = (await done(kmip(admin, 'Locate', structure('Attributes')))).all('UniqueIdentifier');
      for (const id of [...ids('key'), ...ids('made too')]) assert.ok(found.includes(id), id);
      await done(kmip(admin, 'ReKey', identifier(key)));
      await done(kmip(admin, 'Destroy', identifier(ids('made')[0])));
      const init = kmip(admin, 'Encrypt', identifier(ids('made too')[0]), bytes('Data', 'AB'), boolean('InitIndicator', true));
      await refused(init, /^Server_Limit_Exceeded: .*CKR_SESSION_COUNT$/);
      await done(encrypt(ids('made too')[0]));
    });

  test.run();
}
