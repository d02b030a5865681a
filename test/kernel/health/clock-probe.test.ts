// A clock that jumps is told, and is well again when it is back or was accepted, and so is one that differs from that of the database or is behind the last run; one that is slow, corrected by and by or asleep is not.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { ClockProbe } from '../../../kernel/health/clock-probe.ts';
import { StoreProbe } from '../../../kernel/store/store-probe.ts';
import { openClock } from '../../../soak/clock.ts';
import { start } from '../../e2e/started.ts';
import { memoryLog, until } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';
import { testDatabases } from '../../stores.ts';
import { skipWithout } from '../../system.ts';

const MINUTE = 60;
const TOLD_MS = 5_000;

async function watched() {
  const clock = createClock();
  const hands = { wall: 1_800_000_000_000, elapsed: 0 };
  const { log, lines } = memoryLog();
  const probe = new ClockProbe(clock, log, { wallMs: () => hands.wall, elapsedMs: () => hands.elapsed });
  return {
    probe,
    lines,
    /** Seconds pass, and the wall clock jumps in the first of them. */
    async pass(seconds: number, jumpSeconds = 0, speed = 1) {
      hands.wall += jumpSeconds * 1_000;
      for (let at = 0; at < seconds; at++) {
        hands.wall += 1_000 * speed;
        hands.elapsed += 1_000;
        Atomics.add(clock.offset, 0, 1_000n);
        await clock.fireDue();
      }
    },
  };
}

for (const jump of [15 * MINUTE, -15 * MINUTE])
  test(`a clock that jumps by ${jump} s is told until it is back`, async () => {
    const { probe, pass, lines } = await watched();
    await pass(10);
    assert.equal(probe.problem, undefined);
    await pass(1, jump);
    assert.match(String(probe.problem), new RegExp(`^it has jumped by \\${jump > 0 ? '+' : '-'}900 s: `));
    await pass(4 * MINUTE);
    assert.notEqual(probe.problem, undefined);
    await pass(1, -jump);
    assert.equal(probe.problem, undefined);
    assert.deepEqual(
      lines.map(({ seconds }) => seconds),
      [jump, -jump],
    );
    probe.close();
  });

test('a clock that stays where it jumped is accepted after five minutes, and its way back is a jump again', async () => {
  const { probe, pass } = await watched();
  await pass(1, 15 * MINUTE);
  await pass(5 * MINUTE - 1);
  assert.notEqual(probe.problem, undefined);
  await pass(1);
  assert.equal(probe.problem, undefined);
  await pass(1, -15 * MINUTE);
  assert.match(String(probe.problem), /-900 s/);
  probe.close();
});

test('a clock that is corrected by and by, by seconds or not at all is well', async () => {
  const { probe, pass } = await watched();
  await pass(10 * MINUTE, 0, 1.05);
  for (let times = 0; times < 10; times++) await pass(1, 5);
  assert.equal(probe.problem, undefined);
  probe.close();
});

const databases = await testDatabases();
test.after(async () => void (await Promise.all(databases.map((database) => database.stop()))));
const elsewhere = databases.find(({ dialect }) => dialect === 'postgres');

if (elsewhere)
  test('a clock that differs by ten seconds from that of the database is told, one by less is not', async () => {
    const clock = createClock();
    const { log, lines } = memoryLog();
    let aheadMs = 0;
    const probe = new StoreProbe(await elsewhere.url(), clock, log, () => Date.now() + aheadMs);
    const look = async () => {
      Atomics.add(clock.offset, 0, 2_000n);
      await clock.fireDue();
      return probe.clockDifference;
    };
    assert.equal(await look(), undefined);
    for (const [ms, told] of [
      [300_000, /^it is (300|301|299) s ahead of that of the database: /],
      [5_000, /^undefined$/],
      [-300_000, /^it is (300|301|299) s behind that of the database: /],
    ] as const) {
      aheadMs = ms;
      assert.match(String(await look()), told);
      await look();
    }
    assert.equal(probe.problem, undefined);
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['the clock of this machine differs from that of the database', 'the clock of this machine differs from that of the database'],
    );
    await probe.close();
  });

test('a clock that is behind the time at which the server last ran, with SQLite, is told until it is right', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatehouse.db'), '');
  const { log, lines } = memoryLog();
  const run = async (aheadMs: number, thenMs = aheadMs) => {
    const clock = createClock();
    let ms = aheadMs;
    const probe = new StoreProbe(`sqlite:${join(folder, 'gatehouse.db')}`, clock, log, () => Date.now() + ms);
    const told: (string | undefined)[] = [];
    for (const next of [aheadMs, thenMs]) {
      ms = next;
      Atomics.add(clock.offset, 0, 2_000n);
      await clock.fireDue();
      told.push(probe.clockDifference);
    }
    assert.equal(probe.problem, undefined);
    await probe.close();
    return told;
  };
  assert.deepEqual(await run(0), [undefined, undefined]);
  // Off for an hour, and set back a little by a time server.
  assert.deepEqual(await run(3_600_000, 3_600_000 - 5_000), [undefined, undefined]);
  const [behind, right] = await run(-60_000, 3_600_000);
  assert.match(String(behind), /^it is 365[0-9] s behind the time at which the server last ran: set it right/);
  assert.equal(right, undefined);
  // It had been ahead: the run after that says so to its end, and the next one no more.
  for (const told of await run(0)) assert.match(String(told), /^it is (3599|3600) s behind the time/);
  assert.deepEqual(await run(0), [undefined, undefined]);
  assert.deepEqual(
    lines.map(({ message }) => message),
    Array(2).fill('the clock of this machine differs from the time at which the server last ran'),
  );
  rmSync(folder, { recursive: true });
});

if (!skipWithout('libfaketime'))
  test('/ready of a started server tells within five seconds that its clock has jumped, and that it is back', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const { file, env } = openClock(folder, true);
    const config = join(folder, 'config.toml');
    writeFileSync(config, elsewhere ? `[store]\nurl = "${await elsewhere.url()}"\n` : '');
    const { child, ask } = await start(dataDir, ['--config', config], env);
    const ready = async () => (await ask('GET', '/ready')).text;
    assert.match(await ready(), /"READY"/);
    // libfaketime looks once a second.
    writeFileSync(file as string, '+900\n');
    await until(async () => (await ready()).includes('clock: it has jumped by +'), '/ready tells it', TOLD_MS + 1_000);
    if (elsewhere) await until(async () => /"degraded":\["clock: it is (89|90)\d s ahead/.test(await ready()), '/ready compares it', TOLD_MS + 1_000);
    writeFileSync(file as string, '+0\n');
    await until(async () => (await ask('GET', '/ready')).status === 200, '/ready is well again', TOLD_MS + 1_000);
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null, 'it has stopped');
    rmSync(folder, { recursive: true, force: true });
  });

test.run();
