// The profile: where a command finds its server and its session. A file of mode 0600 that holds no password.
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPrivateFolder, writePrivateFile } from '../kernel/disk/private-file.ts';
import { CommandError, EXIT } from './exit.ts';

export interface Profile {
  readonly address: string;
  /** Authorities to trust, or the one certificate of the server. PEM; without it the authorities of Node. */
  readonly ca?: string;
  /** SHA-256 of the certificate, if that one alone is trusted, whatever names it has. */
  readonly fingerprint?: string;
  readonly realm?: string;
  /** Value of the session cookie. */
  readonly cookie?: string;
  /** Id of that session. */
  readonly session?: string;
  /** An app token. */
  readonly token?: string;
  /** Files of the client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** `GATEHOUSE_PROFILE_DIR`, or `gatehouse` in the folder of the user's configuration. */
export function profilePath(name: string, env: NodeJS.ProcessEnv): string {
  if (!NAME.test(name)) throw new CommandError(`${name}: the name of a profile has letters, digits, dots, _ and -`, EXIT.usage);
  if (env['GATEHOUSE_PROFILE_DIR'] === '') throw new CommandError('GATEHOUSE_PROFILE_DIR: is empty; name a place, or remove it', EXIT.usage);
  const folder = env['GATEHOUSE_PROFILE_DIR'] ?? join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'gatehouse');
  return join(folder, `${name}.json`);
}

/** @throws CommandError without a profile, and for one that others can read: it holds a session */
export function readProfile(path: string): Profile {
  let text: string;
  try {
    // Windows has no such modes; the folder of the user is private there.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw new CommandError(`others may read ${path}, which holds a session: chmod 600 it, or sign in again`, EXIT.unauthenticated);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommandError('not signed in: gatehouse login ADDRESS', EXIT.unauthenticated);
  }
  const profile = parse(text);
  if (profile === undefined) throw new CommandError(`${path} is damaged: sign in again`, EXIT.unauthenticated);
  return profile;
}

function parse(text: string): Profile | undefined {
  try {
    const { address, ...others } = JSON.parse(text) as Record<string, unknown>;
    const isWhole = typeof address === 'string' && URL.canParse(address) && Object.values(others).every((member) => typeof member === 'string');
    return isWhole ? ({ address, ...others } as Profile) : undefined;
  } catch {
    return undefined;
  }
}

export function writeProfile(path: string, profile: Profile): void {
  createPrivateFolder(dirname(path));
  writePrivateFile(path, `${JSON.stringify(profile, null, 2)}\n`);
}
