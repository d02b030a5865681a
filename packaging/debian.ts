// Makes the Debian package with dpkg-deb: the program with its libraries and its Node, the service, and the scripts of the package.
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sourceTime, versionOf } from './build-facts.ts';
import { copyPackages } from './dependencies.ts';
import { ROOT } from './program.ts';
import { stage } from './stage.ts';

/** Names of scripts, as dpkg knows them. */
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** Language models have their own large libraries: docs/install.md says how to add them. */
const WITHOUT = ['onnxruntime-node'];
const PROGRAM = 'usr/lib/gatehouse';

export interface DebianOptions {
  /** The number of the package among those of one version. */
  readonly revision?: string;
  /** xz is what Debian's archive takes; gzip is quicker. */
  readonly compression?: 'xz' | 'gzip';
}

/** @param out folder of the package. @returns its path */
export function makeDebianPackage(out: string, { revision = '1', compression = 'xz' }: DebianOptions = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-debian-'));
  try {
    layOut(root, 'debian');
    const version = `${versionOf()}-${revision}`;
    putControl(root, version);
    settle(root);
    mkdirSync(out, { recursive: true });
    const path = join(resolve(out), `gatehouse_${version}_${architecture()}.deb`);
    const level = compression === 'xz' ? ['-Zxz', '-z6', '--threads-max=2'] : ['-Zgzip', '-z1'];
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceTime()) };
    execFileSync('dpkg-deb', ['--root-owner-group', ...level, '--build', root, path], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return path;
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Puts what an installation has into a folder, below its places. */
export function layOut(root: string, kind: 'debian' | 'oci'): void {
  const program = join(root, PROGRAM);
  stage(program, kind);
  copyPackages(program, WITHOUT);
  put(root, 'usr/bin/gatehouse', own('gatehouse.sh'), 0o755);
  put(root, 'etc/gatehouse/config.toml', own('config.toml'));
}

function putControl(root: string, version: string): void {
  const units = 'usr/lib/systemd/system';
  for (const unit of ['gatehouse.service', 'gatehouse.socket']) put(root, `${units}/${unit}`, own(unit));
  const docs = 'usr/share/doc/gatehouse';
  put(root, `${docs}/copyright`, own('copyright'));
  put(root, `${docs}/changelog.Debian.gz`, zipped(changelog(version)));
  put(root, `${docs}/changelog.gz`, zipped(readFileSync(join(ROOT, 'CHANGELOG.md'))));
  put(root, `${docs}/config.toml`, readFileSync(join(ROOT, 'config.toml')));
  for (const page of globSync('docs/*.md', { cwd: ROOT })) put(root, `${docs}/${page.slice('docs/'.length)}`, readFileSync(join(ROOT, page)));
  put(root, 'usr/share/man/man1/gatehouse.1.gz', zipped(own('gatehouse.1')));
  put(root, 'usr/share/lintian/overrides/gatehouse', own('lintian-overrides'));
  put(root, 'DEBIAN/conffiles', '/etc/gatehouse/config.toml\n');
  for (const script of SCRIPTS) put(root, `DEBIAN/${script}`, own(script), 0o755);
  const kilobytes = execFileSync('du', ['-sk', '--exclude=DEBIAN', root], { encoding: 'utf8' }).split('\t')[0] as string;
  put(root, 'DEBIAN/control', control(version, kilobytes));
  put(
    root,
    'DEBIAN/md5sums',
    execFileSync('sh', ['-c', 'find * -type f ! -path "DEBIAN/*" ! -path "etc/*" | LC_ALL=C sort | xargs -d "\\n" md5sum'], { cwd: root }),
  );
}

function control(version: string, kilobytes: string): string {
  return `Package: gatehouse
Version: ${version}
Architecture: ${architecture()}
Maintainer: the authors of gatehouse <gatehouse@localhost>
Installed-Size: ${kilobytes}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: adduser, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 10)
Recommends: systemd
Suggests: postgresql (>= 15), softhsm2, poppler-data
Section: net
Priority: optional
Description: server that stands in front of a team's people, keys and models
 gatehouse is one program with three services: authentication of people and
 machines, a key server that speaks KMIP and JOSE and keeps keys in software or
 in hardware security modules, and a runner of language models.
 .
 The package brings the version of Node that the program is tested with.
`;
}

function changelog(version: string): string {
  const date = execFileSync('date', ['-R', '-u', '-d', `@${sourceTime()}`], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).trim();
  return `gatehouse (${version}) unstable; urgency=medium\n\n  * Package of version ${versionOf()}; changelog.gz tells what has changed.\n\n -- the authors of gatehouse <gatehouse@localhost>  ${date}\n`;
}

function own(name: string): Uint8Array {
  return readFileSync(join(ROOT, 'packaging/debian', name));
}

function put(root: string, path: string, content: string | Uint8Array, mode = 0o644): void {
  const to = join(root, path);
  mkdirSync(join(to, '..'), { recursive: true });
  writeFileSync(to, content);
  chmodSync(to, mode);
}

function zipped(content: string | Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9 });
}

function architecture(): string {
  return execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
}

/** Modes and times do not depend on who builds. */
function settle(root: string): void {
  const time = sourceTime();
  for (const entry of globSync('**/*', { cwd: root, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || path.endsWith('/bin/node') || readFileSync(path).subarray(0, 2).equals(Buffer.from('#!'));
    chmodSync(path, isProgram ? 0o755 : 0o644);
    utimesSync(path, time, time);
  }
  chmodSync(root, 0o755);
}
