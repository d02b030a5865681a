// /hsm/status with a real SoftHSM: live, through missing libraries, wrong PINs, tokens that go and come, in threads and processes.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { faultLibrary } from '../../fakes/pkcs11-fault/build.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { createSoftHsm } from '../../softhsm.ts';
import { skipWithout } from '../../system.ts';

// covers: GET /hsm/status

interface InstanceStatus {
  readonly prefix: string;
  readonly model: string;
  readonly slots: readonly { slot_id: number; accessible: boolean }[];
}

const instance = (slots: readonly number[], pins: readonly string[], more = '') =>
  `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slots}]\nhsm_password = [${pins.map((pin) => `"${pin}"`)}]\nprobe_seconds = 1\n${more}\n`;

async function statusOf(server: TestServer, cookie: string): Promise<InstanceStatus[]> {
  // Answers younger than a second are given again; the clock makes this one new.
  await server.runtime.advance(1_001);
  const { status, body } = await server.ask('GET', '/hsm/status', { cookie });
  assert.equal(status, 200);
  return body;
}

const accessible = (statuses: readonly InstanceStatus[]) => statuses.map(({ slots }) => slots.map((slot) => slot.accessible));

if (!skipWithout('softhsm2')) {
  const hsm = createSoftHsm();
  const first = hsm.addToken('first', '12345678');
  const second = hsm.addToken('second', '87654321');
  const third = hsm.addToken('third', '11112222');
  // A test may have tokens of its own, and fail before it gives these back.
  test.before.each(() => {
    process.env['SOFTHSM2_CONF'] = `${hsm.folder}/softhsm2.conf`;
  });
  test.after(() => hsm.end());

  test('the status tells apart several instances, a token named twice, a wrong PIN and a missing library', async () => {
    const index = [first, second, third].sort((one, other) => one - other).indexOf(second);
    const config = [
      instance([first], ['12345678']),
      instance([first, second, index], ['12345678', '87654321', '87654321']),
      instance([third], ['not the pin'], 'isolation = "process"'),
      '[[hsm_instances]]\nhsm_model = "other"\nlibrary = "/nonexistent/lib.so"\nhsm_slot = [0]\nhsm_password = ["x"]\n',
    ].join('');
    const server = await startServer({ config });
    const cookie = await signInAdmin(server);
    await until(
      async () => JSON.stringify(accessible(await statusOf(server, cookie))) === '[[true],[false,true,false],[false],[false]]',
      'the slots that work are accessible',
    );
    const statuses = await statusOf(server, cookie);
    assert.deepEqual(
      statuses.map(({ prefix, model, slots }) => [prefix, model, slots.map(({ slot_id }) => slot_id)]),
      [
        ['hsm::soft_hsm', 'soft_hsm', [first]],
        ['hsm::soft_hsm_1', 'soft_hsm', [first, second, index]],
        ['hsm::soft_hsm_2', 'soft_hsm', [third]],
        ['hsm::other', 'other', [0]],
      ],
    );
    assert.deepEqual(Object.keys(statuses[0]?.slots[0] ?? {}), ['slot_id', 'accessible']);
    const ready = await server.ask('GET', '/ready');
    assert.equal(ready.status, 503);
    const taken = (slot: number, by: string) =>
      new RegExp(`hsm::soft_hsm_1: .*slot ${slot}: the token [0-9a-f]{16} is that of slot ${by}: a token belongs to one slot`);
    assert.match(ready.text, taken(first, `${first} of hsm::soft_hsm`));
    assert.match(ready.text, taken(index, `${second} of hsm::soft_hsm_1`));
    assert.match(ready.text, /hsm\/hsm::soft_hsm_2: slot \d+: (CKR_PIN_INCORRECT|the token refused the PIN)/);
    assert.match(ready.text, /hsm\/hsm::other: slot 0: \/nonexistent\/lib\.so: the file does not exist/);
    assert.equal((await server.ask('GET', '/health')).status, 200);
    assert.ok(!JSON.stringify(server.lines).includes('12345678'), 'a PIN reached the log');
    await server.end();
  });

  test('/ready says that all is well once the tokens were looked at, and tells a library that does not start', async () => {
    const library = faultLibrary(hsm.folder, 'late');
    library.tell('hang');
    const server = await startServer({ config: instance([first], ['12345678'], `isolation = "process"\nlibrary = "${library.path}"`) });
    const ready = async () => (await server.ask('GET', '/ready')).text;
    await until(async () => (await ready()).includes('hsm::soft_hsm: has not told yet'), 'its process runs and looks');
    library.tell(undefined);
    await until(async () => (await server.ask('GET', '/ready')).status === 200, 'ready');
    const { body } = await server.ask('GET', '/hsm/status', { cookie: await signInAdmin(server) });
    assert.deepEqual(accessible(body), [[true]]);
    library.tell('closed');
    const unstarted = async () => {
      await server.runtime.advance(1_001);
      return /late\.so does not start \(C_Initialize: CKR_GENERAL_ERROR\): check its configuration, .*SOFTHSM2_CONF/.test(await ready());
    };
    await until(unstarted, 'it is told that the library does not start', 20_000);
    library.tell(undefined);
    await server.end();
  });

  test('the status needs authentication', async () => {
    const server = await startServer();
    assert.equal((await server.ask('GET', '/hsm/status')).status, 401);
    const cookie = await signInAdmin(server);
    assert.deepEqual((await server.ask('GET', '/hsm/status', { cookie })).body, []);
    await server.end();
  });

  for (const isolation of ['thread', 'process']) {
    test(`${isolation}: a token that disappears becomes inaccessible, and accessible again when it is back`, async () => {
      const server = await startServer({ config: instance([first], ['12345678'], `isolation = "${isolation}"`) });
      const cookie = await signInAdmin(server);
      const is = (expected: boolean) => async () => JSON.stringify(accessible(await statusOf(server, cookie))) === JSON.stringify([[expected]]);
      await until(is(true), 'accessible');
      hsm.hide();
      await until(is(false), 'inaccessible');
      assert.match((await server.ask('GET', '/ready')).text, /hsm::soft_hsm: slot \d+: /);
      hsm.show();
      await until(is(true), 'accessible again');
      assert.equal((await server.ask('GET', '/ready')).status, 200);
      await server.end();
    });
  }

  test('a wrong PIN is offered once, not at every probe', async () => {
    const server = await startServer({ config: instance([third], ['00000000'], 'isolation = "process"') });
    const cookie = await signInAdmin(server);
    await until(async () => (await statusOf(server, cookie)).length === 1, 'probed');
    for (let probe = 0; probe < 5; probe++) assert.deepEqual(accessible(await statusOf(server, cookie)), [[false]]);
    assert.match((await server.ask('GET', '/ready')).text, /the token refused the PIN: check hsm_password/);
    await server.end();
  });

  test('a slot stays bound to the token it first opened', async () => {
    const other = createSoftHsm();
    const slot = other.addToken('one', '12345678');
    const server = await startServer({ config: instance([0], ['12345678'], 'isolation = "process"') });
    const cookie = await signInAdmin(server);
    await until(async () => accessible(await statusOf(server, cookie))[0]?.[0] === true, 'bound');
    await server.stop();
    other.end();
    // Index 0 is another token now, with the same PIN even: it is not offered.
    const changed = createSoftHsm();
    changed.addToken('two', '12345678');
    const again = await startServer({ dataDir: server.dataDir, config: instance([0], ['12345678'], 'isolation = "process"') });
    await until(async () => /no slot holds the token/.test((await again.ask('GET', '/ready')).text), 'the token is missed');
    assert.deepEqual(accessible(await statusOf(again, cookie)), [[false]]);
    assert.ok(slot > 0);
    await again.end();
    await server.end();
    changed.end();
  });

  test('flags describe one instance, and the file takes precedence', async () => {
    const argv = ['--hsm-model', 'soft_hsm', '--hsm-slot', String(first), '--hsm-password', 'env:HSM_PIN', '--hsm-admin', 'me'];
    const server = await startServer({ argv, env: { HSM_PIN: '12345678' } });
    const cookie = await signInAdmin(server);
    await until(async () => accessible(await statusOf(server, cookie))[0]?.[0] === true, 'accessible');
    assert.ok(!server.lines.some(({ warning }) => String(warning).includes('command line')));
    await server.end();
    const both = await startServer({ argv: [...argv.slice(0, 4), '--hsm-password', '12345678'], config: instance([second], ['87654321']) });
    const admin = await signInAdmin(both);
    await until(async () => accessible(await statusOf(both, admin))[0]?.[0] === true, 'accessible');
    assert.equal((await statusOf(both, admin))[0]?.slots[0]?.slot_id, second);
    assert.ok(both.lines.some(({ warning }) => String(warning).includes('--hsm-password: other users of this machine can see')));
    await both.end();
  });
}

test('what a schema cannot say is a problem of the configuration', async () => {
  await assert.rejects(startServer({ config: instance([10_000_000_000], ['a']) }), /hsm_instances\[0\]\.hsm_slot\[0\]: must be 9999999999 or less/);
  await assert.rejects(startServer({ argv: ['--hsm-slot', '1', '--hsm-password', 'file:'] }), /hsm_password\[0\]: must be a text, \{ file = "PATH" \}/);
  await assert.rejects(startServer({ config: instance([1, 2], ['a']) }), /hsm_instances\[0\]\.hsm_password: 1 passwords for 2 slots: give one/);
  await assert.rejects(
    startServer({ config: '[[hsm_instances]]\nhsm_model = "other"\nhsm_slot = [0]\nhsm_password = ["x"]' }),
    /hsm_instances\[0\]\.library: the model "other" needs the path/,
  );
  await assert.rejects(
    startServer({ config: '[[hsm_instances]]\nhsm_model = "nope"\nhsm_slot = [0]\nhsm_password = ["x"]' }),
    /hsm_instances\[0\]\.hsm_model: must be one of soft_hsm/,
  );
});

test.run();
