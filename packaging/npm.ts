// Makes the npm package: a tarball that `npm install -g` takes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stage } from './stage.ts';

/** @param out folder of the tarball. @returns its path */
export function makeNpmPackage(out: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-npm-'));
  try {
    stage(folder, 'npm');
    mkdirSync(out, { recursive: true });
    const report = execFileSync('npm', ['pack', '--json', '--pack-destination', resolve(out)], { cwd: folder, encoding: 'utf8' });
    const [{ filename }] = JSON.parse(report) as [{ filename: string }];
    return join(resolve(out), filename);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
