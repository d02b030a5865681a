// Which test files may hold which sources: near ones, and not every one that starts a server. Which of them reach a mutant is counted in the run.
import { globSync } from 'node:fs';

const ACCESS_TESTS = [
  'test/actors/kmip/others-objects.test.ts',
  'test/plugins/keys/access.test.ts',
  'test/actors/kmip/*.test.ts',
  'test/security/{key-audit,forged-rows}.test.ts',
];

/** Folders or files that are mutated, with patterns of the test files that hold them. The first entry that fits counts. */
export const TEST_MAP: readonly (readonly [sources: string, tests: readonly string[]])[] = [
  [
    'kernel/runtime',
    ['test/kernel/runtime/*.test.ts', 'test/machines-document.test.ts', 'test/actors/crash.test.ts', 'test/actors/stream/stream.actor.test.ts'],
  ],
  [
    'kernel/store',
    [
      'test/kernel/store/*.test.ts',
      'test/kernel/backup.test.ts',
      'test/plugins/auth/sessions.test.ts',
      'test/security/{audit,forged-rows,database-failure,lists}.test.ts',
    ],
  ],
  [
    'kernel/http',
    ['test/kernel/http/*.test.ts', 'test/plugins/auth/{sessions,login}.test.ts', 'test/security/{old-tls,bounds,shares,unread-answers,audit}.test.ts'],
  ],
  [
    'actors/session',
    [
      'test/actors/session/*.test.ts',
      'test/plugins/auth/{sessions,idle-sessions,login,isolation,administration,second-factor,certificate-login}.test.ts',
      'test/actors/{rights,audited}.test.ts',
      'test/security/{audit,lists,quotas}.test.ts',
    ],
  ],
  [
    'actors/token',
    [
      'test/plugins/auth/machine/{token,approle-login,cluster-login,roles,machines,token-quotas}.test.ts',
      'test/plugins/auth/token-login.test.ts',
      'test/machines-document.test.ts',
      'test/actors/rights.test.ts',
      'test/security/{audit,lists,quotas}.test.ts',
    ],
  ],
  [
    'actors/directory',
    [
      'test/actors/directory/directory.actor.test.ts',
      'test/plugins/auth/{login,second-factor,administration,isolation,certificate-login,token-login,sessions,last-way-in}.test.ts',
      'test/plugins/auth/machine/*.test.ts',
      'test/security/{forged-signing-keys,lost-updates,refused-login,second-factor-guesses,super-realm,audit,lists,quotas,bounds}.test.ts',
      'test/actors/{rights,audited,identity,totp.machine}.test.ts',
      'test/machines-document.test.ts',
      'test/kernel/old-database.test.ts',
    ],
  ],
  ['actors/kmip/access.ts', ACCESS_TESTS],
  ['actors/kmip/access-owner.ts', ACCESS_TESTS],
  ['actors/kmip/access-lists.ts', ACCESS_TESTS],
  ['actors/kmip/grant-change.ts', ACCESS_TESTS],
  [
    'actors/kmip/object',
    [
      'test/actors/kmip/object/*.test.ts',
      'test/actors/kmip/{operations,message,jose}/*.test.ts',
      'test/actors/kmip/*.test.ts',
      'test/plugins/keys/*.test.ts',
      'test/security/{key-quotas,key-audit,forged-rows,data-keys,describing}.test.ts',
    ],
  ],
  ['kmip', ['test/kmip/**/*.test.ts', 'test/actors/kmip/{message,operations}/*.test.ts', 'test/plugins/keys/*.test.ts']],
  ['crypto', ['test/crypto/**/*.test.ts', 'test/actors/kmip/operations/*.test.ts']],
  ['actors/stream', ['test/actors/stream/*.test.ts', 'test/actors/kmip/operations/*.test.ts']],
  ['actors/kmip/operations', ['test/actors/kmip/{operations,message,object}/*.test.ts', 'test/actors/kmip/*.test.ts', 'test/plugins/keys/*.test.ts']],
  ['actors/kmip/use', ['test/actors/kmip/{operations,message,object}/*.test.ts', 'test/actors/kmip/*.test.ts', 'test/plugins/keys/*.test.ts']],
  ['actors/kmip/creation', ['test/actors/kmip/{creation,operations,message,object}/*.test.ts', 'test/actors/kmip/*.test.ts', 'test/plugins/keys/*.test.ts']],
  ['actors/kmip/certificate', ['test/actors/kmip/{operations,message,object}/*.test.ts', 'test/actors/kmip/*.test.ts', 'test/plugins/keys/*.test.ts']],
];

/** @returns all source files of the map that begin with one of the paths, or all where none is given */
export function sourcesOf(root: string, paths: readonly string[]): string[] {
  const all = TEST_MAP.flatMap(([sources]) => (sources.endsWith('.ts') ? [sources] : globSync(`${sources}/**/*.ts`, { cwd: root }).sort()));
  return paths.length === 0 ? all : all.filter((file) => paths.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)));
}

/** @returns the test files of a source, in the order of the map, each once; those that measure are left out */
export function testsOf(root: string, file: string): string[] {
  const patterns = TEST_MAP.find(([sources]) => file === sources || file.startsWith(`${sources}/`))?.[1] ?? [];
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
  return [...new Set(files)].filter((test) => !test.endsWith('.alone.test.ts'));
}
