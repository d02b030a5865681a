// Why a port cannot be opened, for the operator.
import { ConfigError } from '../config/config-error.ts';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: ': another program listens there; stop it, or choose another port',
  EACCES: ': this user may not; ports below 1024 need a right of their own',
  EADDRNOTAVAIL: ': this machine has no such address',
  ENOTFOUND: ': there is no such host',
};

/**
 * @param setting section that names the port: `http`
 * @param where `127.0.0.1 port 8443`
 */
export function listenFailure(setting: string, where: string, code: string): ConfigError {
  return new ConfigError([`${setting}: cannot listen on ${where} (${code})${REASONS[code] ?? ''}`]);
}
