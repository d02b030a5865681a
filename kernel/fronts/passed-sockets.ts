// Open sockets that systemd passes to the server (sd_listen_fds(3)). systemd keeps them open while the server restarts, so that no connection is refused.
import { ConfigError } from '../config/config-error.ts';

/** Numbers of the file descriptors. */
export interface PassedSockets {
  readonly https: number | undefined;
  /** By name of the listener, in small letters. */
  readonly listeners: ReadonlyMap<string, number>;
}

const FIRST = 3;
const HTTPS = 'https';
const OWN = ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES'] as const;

/**
 * @param env loses the variables, which are for this process only
 * @returns undefined if no sockets were passed to this process
 * @throws ConfigError for a socket that nothing would listen on
 */
export function passedSockets(env: NodeJS.ProcessEnv, pid = process.pid): PassedSockets | undefined {
  const { LISTEN_FDS: count = '0', LISTEN_PID: owner, LISTEN_FDNAMES: list = '' } = env;
  for (const name of OWN) delete env[name];
  if (owner !== String(pid) || Number(count) < 1) return undefined;
  // A unit that names no socket passes its own name, or `unknown`: a single socket is then that of HTTPS.
  const given = list.split(':');
  const names = count === '1' && !/^[a-z_]+$/.test(given[0] ?? '') ? [HTTPS] : given;
  const problems = names.length === Number(count) ? [] : [`systemd passes ${count} sockets with ${names.length} names; give each a FileDescriptorName`];
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  problems.push(...twice.map((name) => `systemd passes two sockets with the name ${name}; the server listens on one of each`));
  if (problems.length > 0) throw new ConfigError(problems);
  const numbers = new Map(names.map((name, at) => [name, FIRST + at]));
  const https = numbers.get(HTTPS);
  numbers.delete(HTTPS);
  return { https, listeners: numbers };
}

/** @throws ConfigError for a socket of a listener that the configuration does not switch on: its clients would wait for ever */
export function requireListeners(passed: PassedSockets, listeners: readonly { readonly name: string }[]): void {
  const known = listeners.map(({ name }) => name.toLowerCase());
  const strange = [...passed.listeners.keys()].filter((name) => !known.includes(name));
  if (strange.length === 0) return;
  const use = [HTTPS, ...known].join(', ');
  throw new ConfigError(strange.map((name) => `systemd passes a socket with the name ${name}, but the server listens on: ${use}`));
}
