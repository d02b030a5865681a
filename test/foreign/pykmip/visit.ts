// Runs PyKMIP, unmodified, against the listener.
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Line } from './steps.ts';

const SCRIPT = fileURLToPath(new URL('tour.py', import.meta.url));
const LIMIT_MS = 120_000;

export function startListening(): Promise<SecureServer> {
  return startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
}

/** @param python that has PyKMIP @returns a line for each step */
export async function visit(server: SecureServer, python: string): Promise<Line[]> {
  const ann = await server.client('ann@acme.com');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const certificate = server.file('ann.pem', ann.cert);
  const settings = {
    ...{
      host: '127.0.0.1',
      port: server.kmipPort(),
      certfile: certificate,
      keyfile: server.file('ann.key', ann.key),
      ca_certs: server.file('authority.pem', server.authority.cert),
    },
    ...{ cert_reqs: 'CERT_REQUIRED', ssl_version: 'PROTOCOL_SSLv23', do_handshake_on_connect: 'True', suppress_ragged_eofs: 'True' },
  };
  const text = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const args = [SCRIPT, server.file('pykmip.conf', `[client]\n${text.join('\n')}\n`), server.file('rsa.pem', rsa), certificate];
  const { stdout } = await promisify(execFile)(python, args, { timeout: LIMIT_MS, env: { HOME: '/nonexistent' } });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
