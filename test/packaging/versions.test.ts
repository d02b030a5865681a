// The version has one source: package.json. The command tells it, the newest release of the changelog is it, and every tag is a release of the changelog.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { versionOf } from '../../packaging/build-facts.ts';
import { ROOT } from '../../packaging/program.ts';

/** @returns the releases of a changelog, newest first */
function releasesIn(changelog: string): readonly string[] {
  return [...changelog.matchAll(/^## \[?v?(\d[^\]\s]*)/gm)].map(([, version]) => version as string);
}

/** @returns what is wrong between a version, the releases and the tags */
function problemsOf(version: string, changelog: string, tags: readonly string[]): readonly string[] {
  const releases = releasesIn(changelog);
  const newest = releases[0];
  return [
    ...(/^## (Unreleased|\[?v?\d)/m.exec(changelog)?.index === changelog.search(/^## /m) ? [] : ['the first section is no release and not "Unreleased"']),
    // Before the first release there is no section of one.
    ...(newest === undefined || newest === version ? [] : [`the newest release is ${newest}, package.json says ${version}`]),
    ...tags.filter((tag) => !releases.includes(tag.replace(/^v/, ''))).map((tag) => `the tag ${tag} has no section`),
  ];
}

const tell = (...args: string[]) => spawnSync(process.execPath, [join(ROOT, 'bin/gatehouse.mjs'), ...args], { encoding: 'utf8' });

test('the command, the server and package.json tell one version', () => {
  const version = versionOf();
  assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.equal(tell('--version').stdout.trim(), version);
  assert.equal(tell('start', '--version').stdout.trim(), version);
  assert.equal((JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { version: string }).version, version);
});

test('the newest release of the changelog is the version, and each tag has a section', () => {
  const tags = spawnSync('git', ['tag', '--list', 'v[0-9]*'], { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  assert.deepEqual(problemsOf(versionOf(), readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), tags), []);
});

test('this test sees what does not agree', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-01-01\n\n## 1.1.0\n';
  assert.deepEqual(problemsOf('1.2.0', changelog, ['v1.1.0', 'v1.2.0']), []);
  assert.equal(problemsOf('1.3.0', changelog, []).length, 1);
  assert.equal(problemsOf('1.2.0', changelog, ['v1.0.0']).length, 1);
  assert.equal(problemsOf('1.2.0', '# Changelog\n\n## Someday\n\n## 1.2.0\n', []).length, 1);
});

test('a command that does not exist is refused with the usage and status 2, and --help is not', () => {
  if (tell('--help').stdout.includes('gatehouse start')) {
    assert.equal(tell('--help').status, 0);
    assert.equal(tell('no-such-command').status, 2);
  }
});

test.run();
