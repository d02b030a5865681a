// `--accept-hsm-change`: another token in place of a missing one, only if the operator says so, and never that of another slot.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';
import { PIN } from './hsm-server.ts';

const ACCEPT = ['--accept-hsm-change'];
/** @param slots indices in the list of tokens */
const instance = (...slots: number[]) =>
  `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slots}]\nhsm_password = [${slots.map(() => `"${PIN}"`)}]\nprobe_seconds = 1\nisolation = "process"\n`;

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
  test('a token that is initialised anew with another PIN is not used until it is with the right one', async () => {
    const hsm = createSoftHsm();
    const slot = hsm.addToken('one', PIN);
    const server = await startServer({ config: instance(0) });
    await isTold(server, WELL);
    const makeAnew = (label: string, pin: string) =>
      void execFileSync('softhsm2-util', ['--init-token', '--slot', String(slot), '--label', label, '--so-pin', 'so-pin-1234', '--pin', pin]);
    makeAnew('two', '87654321');
    await isTold(server, /CKR_PIN_INCORRECT|the token refused the PIN/);
    assert.ok(server.lines.some(({ msg, note }) => msg === 'an HSM token has changed' && /^the token has another label/.test(String(note))));
    makeAnew('three', PIN);
    await isTold(server, WELL);
    await server.end();
    hsm.end();
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
