// Sockets that systemd passes: which is for what, refusals in words, and a restart during which no connection is refused.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { ConfigError } from '../../../kernel/config/config-error.ts';
import { passedSockets, requireListeners } from '../../../kernel/fronts/passed-sockets.ts';
import { exitOf, root } from '../../e2e/started.ts';
import { freePort } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { asker, temporaryFolder, WITHOUT_SELF_TESTS } from '../../server.ts';

/** As systemd does it: holds a socket, starts the server with it, and starts it again after SIGHUP. */
const HOLDER = `use Socket; use POSIX; $^F = 9; my ($port, @server) = @ARGV; my $pid;
socket(my $s, PF_INET, SOCK_STREAM, 0) or die; bind($s, sockaddr_in($port, INADDR_LOOPBACK)) or die; listen($s, 128) or die;
sub start { $pid = fork; return if $pid; POSIX::dup2(fileno($s), 3) if fileno($s) != 3; @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 1, 'https'); exec @server }
sub stop { kill 'TERM', $pid; waitpid $pid, 0 }
my $asked = ''; $SIG{HUP} = sub { $asked = 'again' }; $SIG{TERM} = sub { $asked = 'end' }; start;
while (1) { sleep 60; if ($asked eq 'again') { $asked = ''; stop; start } if ($asked eq 'end') { stop; exit 0 } }`;
const given = (env: NodeJS.ProcessEnv) => passedSockets({ LISTEN_PID: '7', ...env }, 7);

test('sockets are for what their names say; a single one without a name is for HTTPS', () => {
  assert.equal(given({}), undefined);
  assert.equal(given({ LISTEN_FDS: '1', LISTEN_PID: '8' }), undefined);
  for (const LISTEN_FDNAMES of [undefined, 'gatehouse.socket', 'https'])
    assert.deepEqual(given({ LISTEN_FDS: '1', LISTEN_FDNAMES }), { https: 3, listeners: new Map() });
  assert.deepEqual(given({ LISTEN_FDS: '2', LISTEN_FDNAMES: 'kmip:https' }), { https: 4, listeners: new Map([['kmip', 3]]) });
  assert.deepEqual(given({ LISTEN_FDS: '1', LISTEN_FDNAMES: 'kmip' }), { https: undefined, listeners: new Map([['kmip', 3]]) });
  const env: NodeJS.ProcessEnv = { LISTEN_FDS: '1', LISTEN_PID: '7', OTHER: 'stays' };
  passedSockets(env, 7);
  assert.deepEqual(env, { OTHER: 'stays' });
});

test('a socket that nothing would listen on is refused by its name', () => {
  assert.throws(() => given({ LISTEN_FDS: '2', LISTEN_FDNAMES: 'https' }), ConfigError);
  assert.throws(() => given({ LISTEN_FDS: '2', LISTEN_FDNAMES: 'https:https' }), /two sockets with the name https/);
  const passed = given({ LISTEN_FDS: '2', LISTEN_FDNAMES: 'https:kmip' });
  assert.ok(passed);
  requireListeners(passed, [{ name: 'KMIP' }]);
  assert.throws(() => requireListeners(passed, []), /the name kmip, but the server listens on: https$/m);
});

if (!existsSync('/usr/bin/perl')) console.log('skipped: passed-sockets.test.ts needs the package perl');
else
  test('clients that come while a server on a passed socket restarts wait instead of being refused', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const port = await freePort();
    const server = [process.execPath, '--disable-warning=ExperimentalWarning', 'main.ts', '--data-dir', dataDir, '--port', '1'];
    const holder = spawn('perl', ['-e', HOLDER, String(port), ...server], {
      cwd: root,
      env: { ...process.env, ...WITHOUT_SELF_TESTS },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    holder.stdout.on('data', (data) => (output += data));
    const starts = () => output.match(/is ready at/g)?.length ?? 0;
    await until(() => starts() === 1, 'the server is ready', 120_000);
    assert.match(output, new RegExp(`is ready at https://127.0.0.1:${port}`));
    const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
    const answered: number[] = [];
    const ask = asker(`https://127.0.0.1:${port}`, new Agent({ connect: { ca, timeout: 30_000 }, pipelining: 0 }));
    answered.push((await ask('GET', '/health')).status);
    holder.kill('SIGHUP');
    while (starts() < 2 || answered.length < 5) answered.push((await ask('GET', '/health')).status);
    assert.deepEqual(new Set(answered), new Set([200]));
    holder.kill('SIGTERM');
    await exitOf(holder);
    rmSync(join(dataDir, '..'), { recursive: true });
  });

test.run();
