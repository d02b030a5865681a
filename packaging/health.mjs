// The health check of the image: asks the server on this machine. Exits with 0 if it serves.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const PROGRAM = '/usr/lib/gatehouse/';
/** An address for each that stands for all of the machine. */
const OWN = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} commandLine of the first process, each word ended by a zero byte: the server, or what starts it with the same words
 * @returns {{ host: string, port: string }} where the server listens: its flags beat the variables
 */
export function addressOf(env, commandLine) {
  const words = commandLine.includes(PROGRAM) ? commandLine.split('\0') : [];
  const given = (/** @type {string} */ flag) =>
    words.map((word, at) => (word === flag ? words[at + 1] : word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : undefined)).findLast(Boolean);
  const host = given('--host') ?? env['GATEHOUSE_HTTP_HOST'] ?? '0.0.0.0';
  return { host: OWN[/** @type {keyof OWN} */ (host)] ?? host, port: given('--port') ?? env['GATEHOUSE_HTTP_PORT'] ?? '8443' };
}

function firstProcess() {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8');
  } catch {
    return '';
  }
}

function ask() {
  const address = addressOf(process.env, firstProcess());
  const asked = request({ ...address, path: '/health', rejectUnauthorized: false, timeout: 5_000 }, ({ statusCode }) => {
    process.exit(statusCode === 200 ? 0 : 1);
  });
  asked.on('error', () => process.exit(1));
  asked.on('timeout', () => process.exit(1));
  asked.end();
}

if (import.meta.main) ask();
