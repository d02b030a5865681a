// A plugin that tries to leave the sandbox of the service, from inside of the server. It answers what of it worked.
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const run = (...command) => {
  const { status, error, stderr } = spawnSync(command[0], command.slice(1), { encoding: 'utf8' });
  // A program that is missing proves nothing.
  if (error) throw new Error(`NOT TRIED: ${error.message}`);
  if (status !== 0) throw new Error(stderr);
};

const ATTEMPTS = {
  'write below /usr': () => writeFileSync('/usr/lib/gatehouse/main.js', ''),
  'write below /etc': () => writeFileSync('/etc/gatehouse/config.toml', ''),
  'write beside its own data': () => writeFileSync('/var/lib/other', ''),
  'read the home of root': () => readdirSync('/root'),
  'read homes': () => readFileSync('/home/somebody/secret'),
  'read /etc/shadow': () => readFileSync('/etc/shadow'),
  'see what others leave in /tmp': () => readFileSync('/tmp/of-somebody-else'),
  'see processes of others': () => readFileSync('/proc/1/cmdline'),
  'change a setting of the kernel': () => writeFileSync('/proc/sys/kernel/hostname', 'mine'),
  'make a user namespace': () => run('unshare', '--user', 'true'),
  'make a mount namespace': () => run('unshare', '--mount', 'true'),
  mount: () => run('mount', '-t', 'tmpfs', 'tmpfs', '/tmp'),
  'make a file set-user-id': () => {
    writeFileSync('/var/lib/gatehouse/suid', '');
    chmodSync('/var/lib/gatehouse/suid', 0o4755);
  },
  'make a device': () => run('mknod', '/var/lib/gatehouse/disk', 'b', '8', '0'),
  'open a socket of the link layer': () => run('perl', '-e', 'use Socket; socket(my $s, 17, SOCK_RAW, 0) or die $!'),
  'open a raw socket': () => run('perl', '-e', 'use Socket; socket(my $s, PF_INET, SOCK_RAW, 1) or die $!'),
  'set the time': () => run('date', '-s', '2001-01-01'),
  'trace another process': () => readFileSync('/proc/1/mem'),
  'become another user': () => process.setuid(0),
};

const CONTROLS = {
  'write its own data': () => writeFileSync('/var/lib/gatehouse/control', 'data'),
  'start a program': () => run('true'),
  'write in its own /tmp': () => writeFileSync('/tmp/control', ''),
};

const outcomes = (attempts) =>
  Object.fromEntries(
    Object.entries(attempts).map(([name, attempt]) => {
      try {
        attempt();
        return [name, 'worked'];
      } catch (error) {
        return [name, `refused: ${error.code ?? error.message}`];
      }
    }),
  );

/** Notes that systemd's socket for messages cannot be named by a plugin. */
const variables = () => Object.keys(process.env).filter((name) => /^(NOTIFY|WATCHDOG|LISTEN)_/.test(name));

export default {
  name: 'escape',
  config: { type: 'object', properties: {}, additionalProperties: false, default: {} },
  routes: () => [
    {
      method: 'GET',
      path: '/escape',
      auth: 'none',
      handle: () => ({ status: 200, body: { attempts: outcomes(ATTEMPTS), controls: outcomes(CONTROLS), variables: variables() } }),
    },
  ],
};
