// What systemd hears of the server, with systemd's own program as the sender and a datagram socket as systemd.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { serviceManager } from '../../../kernel/start/service-manager.ts';
import { until } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';

/** Node has no datagram sockets of the file system; Perl is on every Debian. */
const RECEIVER = `use Socket; $| = 1; socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die; bind($s, pack_sockaddr_un($ARGV[0])) or die;
print "bound\\n"; while (defined recv($s, my $m, 4096, 0)) { print "$m\\n" if $m !~ /^BARRIER/ }`;
/** Real time passes beside the moved one: much longer than a test takes. */
const WATCHDOG_MS = 3_000_000;
const SENDER = '/usr/bin/systemd-notify';

async function listenAsSystemd() {
  const folder = temporaryFolder();
  const path = join(folder, 'notify');
  const child = spawn('perl', ['-e', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const heard: string[] = [];
  child.stdout.on('data', (data) => heard.push(...String(data).trim().split('\n')));
  await until(() => heard.includes('bound'), 'the socket is there');
  return {
    path,
    heard: () => heard.slice(1),
    end() {
      child.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

if (!existsSync(SENDER) || !existsSync('/usr/bin/perl')) console.log('skipped: service-manager.test.ts needs the packages systemd and perl');
else {
  test('systemd hears that the server is ready, lives at intervals, and stops', async () => {
    const systemd = await listenAsSystemd();
    const clock = createClock();
    const failures: Error[] = [];
    const env: NodeJS.ProcessEnv = {
      NOTIFY_SOCKET: systemd.path,
      WATCHDOG_USEC: String(WATCHDOG_MS * 1_000),
      WATCHDOG_PID: String(process.pid),
      OTHER: 'stays',
    };
    const manager = serviceManager(env, clock, (error) => failures.push(error));
    assert.deepEqual(env, { OTHER: 'stays' });
    let isServing = true;
    manager.ready(() => isServing);
    await until(() => systemd.heard().includes('READY=1'), 'systemd knows that the server is ready');
    const pass = async (ms: number) => {
      Atomics.add(clock.offset, 0, BigInt(ms));
      await clock.fireDue();
    };
    await pass(WATCHDOG_MS * 0.3);
    assert.deepEqual(systemd.heard(), ['READY=1']);
    for (const count of [1, 2]) {
      await pass(WATCHDOG_MS / 3);
      await until(() => systemd.heard().filter((message) => message === 'WATCHDOG=1').length === count, 'a sign of life');
    }
    isServing = false;
    await pass(WATCHDOG_MS * 2);
    isServing = true;
    await pass(WATCHDOG_MS / 3);
    await until(() => systemd.heard().length === 4, 'a sign of life when requests are served again');
    await manager.stopping();
    await pass(WATCHDOG_MS * 2);
    await until(() => systemd.heard().length === 5, 'the end');
    assert.deepEqual(systemd.heard(), ['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1', 'STOPPING=1']);
    assert.deepEqual(failures, []);
    systemd.end();
  });

  test('a watchdog for another process is not answered; a systemd that does not listen stops nothing', async () => {
    const systemd = await listenAsSystemd();
    const clock = createClock();
    const other = serviceManager({ NOTIFY_SOCKET: systemd.path, WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' }, clock, () => {});
    other.ready(() => true);
    Atomics.add(clock.offset, 0, 60_000n);
    assert.equal(await clock.fireDue(), 0);
    await other.stopping();
    await until(() => systemd.heard().length === 2, 'both messages');
    assert.deepEqual(systemd.heard(), ['READY=1', 'STOPPING=1']);
    systemd.end();
    const failures: Error[] = [];
    const lost = serviceManager({ NOTIFY_SOCKET: systemd.path }, clock, (error) => failures.push(error));
    await lost.stopping();
    assert.equal(failures.length, 1);
  });
}

test('without systemd nothing is sent', async () => {
  const manager = serviceManager({}, createClock(), assert.fail);
  manager.ready(() => true);
  await manager.stopping();
});

test.run();
