// A key-encryption key on a token that cannot have it: the key server stays sealed, and says what the token lacks or refuses.
import { test } from 'uvu';
import { canBuild, faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { startServer } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { PIN } from './hsm-server.ts';

if (!skipWithout('softhsm2') && canBuild()) {
  test('a token with which the key server stays sealed is told with what it lacks or refuses', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('kek', PIN);
    const library = faultLibrary(hsm.folder, 'kek');
    library.tell('error 0x30');
    const id = `hsm::soft_hsm::${slot}::kek`;
    const instance = `[[hsm_instances]]\nhsm_model = "soft_hsm"\nlibrary = "${library.path}"\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\nprobe_seconds = 1\n`;
    const server = await startServer({ config: `[keys]\nkey_encryption_key = "${id}"\n${instance}` });
    const isTold = async (said: string) => {
      await server.runtime.advance(1_001);
      return JSON.stringify((await server.ask('GET', '/ready')).body).includes(`${id}: ${said}`);
    };
    for (const [fault, said] of [
      ['error 0x30', 'the token refuses to make the key: CKR_DEVICE_ERROR'],
      ['without 0x1087', 'the token has no mechanism CKM_AES_GCM, which it needs for a key-encryption key'],
    ] as const) {
      library.tell(fault);
      await until(() => isTold(said), said, 20_000);
    }
    await server.end();
    hsm.end();
  });
  test.run();
}
