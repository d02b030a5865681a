// Keys in an HSM from the command line: those that are made there, brought there, wrapped there, rotated and destroyed.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { exitOf, type Started, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';
import { createSoftHsm } from '../softhsm.ts';
import { skipWithout } from '../system.ts';
import { type Shell, SIGN_IN, shell } from './shell.ts';

const PIN = '12345678';
let server: Started;
let bash: Shell;
let P: string;

async function lines(script: string, code = 0): Promise<string[]> {
  const ended = await bash.run(`P=${P}\n${script}`);
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  return (ended.stdout + ended.stderr).trimEnd().split('\n');
}

if (!skipWithout('softhsm2')) {
  const home = temporaryFolder();
  const hsm = createSoftHsm();
  test.before(async () => {
    const slot = hsm.addToken('commands', PIN);
    P = `hsm::soft_hsm::${slot}`;
    const flags = ['--hsm-model', 'soft_hsm', '--hsm-slot', String(slot), '--hsm-password', 'env:HSM_PIN', '--hsm-admin', '_/admin'];
    server = await start(join(home, 'data'), flags, { HSM_PIN: PIN });
    bash = shell(server, join(home, 'data'));
    await lines(`${SIGN_IN}\necho text > text`);
  });
  test.after(async () => {
    server.child.kill('SIGTERM');
    await exitOf(server.child);
    hsm.end();
    for (const folder of [bash.folder, home]) rmSync(folder, { recursive: true });
  });

  test('a key that is made there encrypts, also after its rotation, and is destroyed', async () => {
    const told = await lines(`gatehouse key create aes-256 --id $P::made; gatehouse key encrypt $P::made text -o sealed
      gatehouse key rotate $P::made; gatehouse key decrypt sealed; gatehouse key destroy $P::made --yes`);
    assert.deepEqual(told, [`${P}::made`, `${P}::made::1`, 'text', `Destroyed ${P}::made`]);
  });

  test('PEM, bytes and a wrapped key are brought there, and work there', async () => {
    const told = await lines(`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out own.pem; head -c 32 /dev/urandom > bytes
      gatehouse key import own.pem --alg ES256 --id $P::pem; gatehouse key sign $P::pem text -o signed; gatehouse key verify signed text
      gatehouse key import bytes --alg A256GCM --id $P::bytes; gatehouse key encrypt $P::bytes text | gatehouse key decrypt
      W=$(gatehouse key create aes-256); K=$(gatehouse key create aes-256); gatehouse key wrap $K --with $W -o wrapped
      gatehouse key encrypt $K text -o by-key; gatehouse key unwrap wrapped --id $P::wrapped; gatehouse key encrypt $P::wrapped text | gatehouse key decrypt`);
    assert.deepEqual(told, [`${P}::pem`, `The signature of ${P}::pem is right`, `${P}::bytes`, 'text', `${P}::wrapped`, 'text']);
    assert.deepEqual((hsm.tool(Number(P.split('::').at(-1)), '[...labels(3), ...labels(4)]') as string[]).toSorted(), ['bytes', 'made::1', 'pem', 'wrapped']);
  });

  test('an identifier that the server would not take is refused before the key is sent', async () => {
    assert.match((await lines('gatehouse key import bytes --alg A256GCM --id mine', 2)).join(), /--id is for a key on an HSM/);
  });

  test.run();
}
