// Makes the data folder of this version for the tests of later ones: `npm run release-data`, once for each release, before it is tagged.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { versionOf } from '../../packaging/build-facts.ts';
import { exitOf, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';
import { live } from './lived.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const server = await start(dataDir);
const left = await live(server.ask, readFileSync(join(dataDir, 'initial-password'), 'utf8').trim());
server.child.kill('SIGTERM');
if ((await exitOf(server.child)) !== 0) throw new Error(server.output.text);
const version = versionOf();
execFileSync('tar', ['--create', '--gzip', '--owner=0', '--group=0', '--file', join(here, `${version}.tar.gz`), '--directory', folder, 'data']);
writeFileSync(join(here, `${version}.json`), `${JSON.stringify(left, null, 2)}\n`);
rmSync(folder, { recursive: true });
console.log(`test/releases/${version}.tar.gz and ${version}.json`);
process.exit();
