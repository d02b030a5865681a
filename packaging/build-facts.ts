// What a package says about itself: its kind, and the commit that it was made from. The same commit makes the same facts.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildFacts } from '../kernel/build-facts.ts';
import { ROOT } from './program.ts';

export function versionOf(root = ROOT): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** @returns seconds since 1970: of the commit, unless the variable of reproducible-builds.org says otherwise */
export function sourceTime(root = ROOT): number {
  return Number(process.env['SOURCE_DATE_EPOCH'] ?? git(root, 'log', '-1', '--format=%ct') ?? Math.floor(Date.now() / 1000));
}

export function buildFacts(kind: BuildFacts['package'], root = ROOT): BuildFacts {
  const isChanged = git(root, 'status', '--porcelain', '--untracked-files=no') !== '';
  return {
    package: kind,
    commit: git(root, 'rev-parse', 'HEAD') ?? null,
    changed: isChanged,
    source_time: new Date(sourceTime(root) * 1000).toISOString(),
  };
}

function git(cwd: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
