// `--accept-hsm-change`: another token in place of a missing one, only if the operator says so, and never that of another slot.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { bytes, done, enumeration, identifier, kmip, makeSecret, PIN, refused, startHsmServer, structure } from './hsm-server.ts';

const ACCEPT = ['--accept-hsm-change'];
/** @param slots indices in the list of tokens */
const instance = (...slots: number[]) =>
  `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slots}]\nhsm_password = [${slots.map(() => `"${PIN}"`)}]\nprobe_seconds = 1\nisolation = "process"\n`;

/** As a tool of the vendor does, while the server runs. */
const initialise = (slot: number, label: string, pin: string) =>
  void execFileSync('softhsm2-util', ['--init-token', '--slot', String(slot), '--label', label, '--so-pin', 'so-pin-1234', '--pin', pin]);

const WELL = /^200 /;

/** Waits for an answer of /ready. */
function isTold(server: TestServer, expected: RegExp): Promise<unknown> {
  const ready = async () => {
    await server.runtime.advance(1_001);
    const { status, text } = await server.ask('GET', '/ready');
    return expected.test(`${status} ${text}`);
  };
  return until(ready, String(expected), 20_000);
}

async function changesOf(server: TestServer): Promise<string[]> {
  const { events } = (await server.ask('GET', '/audit?event=hsm.token', { cookie: await signInAdmin(server) })).body;
  return (events as { target: string; reason: string }[]).map(({ target, reason }) => `${target}: ${reason}`);
}

if (!skipWithout('softhsm2')) {
  test('a slot whose token is not initialised yet says what to do, and works when it is', async () => {
    const hsm = createSoftHsm();
    const server = await startServer({ config: instance(0) });
    await isTold(server, /slot 0: the slot holds no initialised token \(CKR_TOKEN_NOT_RECOGNIZED\): initialise it, or check hsm_slot"/);
    hsm.addToken('one', PIN);
    await isTold(server, WELL);
    await server.end();
    hsm.end();
  });

  test('a token that is initialised anew with another PIN is not used until it is with the right one', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('one', PIN);
    const server = await startServer({ config: instance(0) });
    await isTold(server, WELL);
    initialise(slot, 'two', '87654321');
    await isTold(server, /CKR_PIN_INCORRECT|the token refused the PIN/);
    assert.ok(server.lines.some(({ msg, note }) => msg === 'an HSM token has changed' && /^the token has another label/.test(String(note))));
    initialise(slot, 'three', PIN);
    await isTold(server, WELL);
    await server.end();
    hsm.end();
  });

  test('a token that is initialised anew with its label: keys of before are told as missing, new ones stay', async () => {
    const server = await startHsmServer();
    const [before, after] = [`${server.prefix}before`, `${server.prefix}after`];
    const parameters = structure('CryptographicParameters', enumeration('BlockCipherMode', 'CBC'), enumeration('PaddingMethod', 'None'));
    const zeros = [bytes('Data', Buffer.alloc(16)), bytes('IVCounterNonce', Buffer.alloc(16))];
    const encrypt = (id: string) => kmip(server.admin, 'Encrypt', identifier(id), parameters, ...zeros);
    await done(makeSecret(server.admin, before));
    await done(encrypt(before));
    initialise(server.slot, 'token 0', PIN);
    await refused(encrypt(before), /^Item_Not_Found: the token has no secret key before$/);
    await done(makeSecret(server.admin, after));
    const { Data: sealed = '' } = await done(encrypt(after));
    // With a login of its own.
    const tool = `p.C_EncryptInit(s, { mechanism: 0x1082, parameter: Buffer.alloc(16) }, find([{ type: 3, value: 'after' }])[0]),
      p.C_Encrypt(s, Buffer.alloc(16), Buffer.alloc(32)).toString('hex')`;
    assert.equal(server.hsm.tool(server.slot, `(${tool})`), sealed.toLowerCase());
    await done(kmip(server.admin, 'Destroy', identifier(before)));
    await done(makeSecret(server.admin, before));
    await done(encrypt(before));
    await server.end();
  });

  for (const isFlagged of [false, true])
    test(`${isFlagged ? 'with' : 'without'} the flag, a token that was made anew`, async () => {
      const dataDir = temporaryFolder();
      const before = createSoftHsm();
      before.addToken('one', PIN);
      const first = await startServer({ dataDir, config: instance(0) });
      await isTold(first, WELL);
      await first.stop();
      before.end();
      const hsm = createSoftHsm();
      hsm.addToken('one', PIN);
      const second = await startServer({ dataDir, config: instance(0), argv: isFlagged ? ACCEPT : [] });
      await isTold(second, isFlagged ? WELL : /no slot holds the token [0-9a-f]{16}: insert it, or start once with --accept-hsm-change/);
      const changes = await changesOf(second);
      assert.equal(changes.length, isFlagged ? 1 : 0);
      if (isFlagged) assert.match(changes[0] as string, /^hsm::soft_hsm::0: the token [0-9a-f]{16} in place of [0-9a-f]{16}$/);
      await second.stop();
      // It is bound to the new one from now on.
      const third = await startServer({ dataDir, config: instance(0) });
      await isTold(third, isFlagged ? WELL : /no slot holds the token/);
      await third.end();
      hsm.end();
    });

  test('the token of another slot is not taken', async () => {
    const hsm = createSoftHsm();
    const ids = ['one', 'two'].map((label) => ({ label, slot: hsm.addToken(label, PIN) }));
    const dataDir = temporaryFolder();
    const first = await startServer({ dataDir, config: instance(0, 1) });
    await isTold(first, WELL);
    await first.stop();
    // Index 0 is that of the token with the smaller ID, and of the other one when this is gone.
    const gone = ids.sort((one, other) => one.slot - other.slot)[0]?.label as string;
    execFileSync('softhsm2-util', ['--delete-token', '--token', gone]);
    const second = await startServer({ dataDir, config: instance(0, 1), argv: ACCEPT });
    await isTold(
      second,
      /slot 0: no slot holds the token [0-9a-f]{16}, and slot 0 now holds [0-9a-f]{16}, which is the token of another slot: check hsm_slot"/,
    );
    assert.deepEqual(await changesOf(second), []);
    await second.end();
    hsm.end();
  });

  test.run();
}
