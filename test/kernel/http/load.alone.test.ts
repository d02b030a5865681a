// Many connections that do nothing: the server stays up and serves, closes them in time, and gives the memory back.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { startServer } from '../../server.ts';

const CONNECTIONS = 10_000;
/** Of resident memory, bytes: what malloc keeps of the connections that there may be at a time, and the garbage of the rest. */
const MAX_GROWTH = 250e6;
/** Of descriptors, for both ends of the connections; the client has a process of its own. */
const client = fileURLToPath(new URL('../../fakes/idle-client.ts', import.meta.url));

for (const kind of ['tcp', 'tls'] as const) {
  test(`${CONNECTIONS} idle ${kind} connections are closed, the process lives, memory returns`, async () => {
    const server = await startServer();
    assert.equal((await server.ask('GET', '/health')).status, 200);
    const before = process.memoryUsage().rss;
    const child = fork(client, [kind, new URL(server.address).port, String(CONNECTIONS)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const report = { opened: 0, closed: 0, done: false };
    child.on('message', (message) => Object.assign(report, message));
    await until(() => report.done, `the client opened its connections (${report.opened})`, 120_000);
    assert.ok(report.opened > CONNECTIONS * 0.95, `only ${report.opened} were accepted`);
    const during = process.memoryUsage().rss;
    assert.equal((await server.ask('GET', '/health')).status, 200);
    await until(() => report.closed >= report.opened, `all were closed (${report.closed} of ${report.opened})`, 60_000);
    child.kill('SIGKILL');
    const after = process.memoryUsage().rss;
    console.log(`${kind}: ${mb(before)} before, ${mb(during)} with ${report.opened} connections, ${mb(after)} after`);
    assert.ok(after - before < MAX_GROWTH, `grew from ${mb(before)} to ${mb(after)}`);
    assert.equal((await server.ask('GET', '/health')).status, 200);
    await server.end();
  });
}

const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

test.run();
