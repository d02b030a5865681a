// SoftHSM tokens of a test's own, in a folder of its own.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './server.ts';

export interface SoftHsm {
  readonly folder: string;
  /** Makes a token. @returns its slot ID */
  addToken(label: string, pin: string): number;
  /** All tokens disappear, as when the device is unplugged. */
  hide(): void;
  show(): void;
  end(): void;
}

/** Sets SOFTHSM2_CONF for this process: the library reads it when it is initialised. */
export function createSoftHsm(): SoftHsm {
  const folder = temporaryFolder();
  const tokens = join(folder, 'tokens');
  mkdirSync(tokens);
  const conf = join(folder, 'softhsm2.conf');
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  process.env['SOFTHSM2_CONF'] = conf;
  return {
    folder,
    addToken(label, pin) {
      const { stdout, stderr, status } = spawnSync('softhsm2-util', ['--init-token', '--free', '--label', label, '--so-pin', 'so-pin-1234', '--pin', pin], {
        encoding: 'utf8',
        env: { ...process.env },
      });
      const slot = /reassigned to slot (\d+)/.exec(stdout)?.[1];
      if (status !== 0 || slot === undefined) throw new Error(`softhsm2-util failed: ${stdout}${stderr}`);
      return Number(slot);
    },
    hide() {
      renameSync(tokens, `${tokens}.away`);
      mkdirSync(tokens);
    },
    show() {
      rmSync(tokens, { recursive: true });
      renameSync(`${tokens}.away`, tokens);
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
