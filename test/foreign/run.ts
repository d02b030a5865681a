// Runs the clients that others wrote, unmodified, against started servers: `npm run foreign [-- part of a name | --without a name]`.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../server.ts';
import { CLIENTS } from './clients.ts';
import { verdictOf } from './verdict.ts';

const [part = '', without] = process.argv.slice(2);
const chosen = CLIENTS.filter(({ name }) => (part === '--without' ? name !== without : name.includes(part)));
if (chosen.length === 0 || (part === '--without' && chosen.length === CLIENTS.length))
  throw new Error(`no foreign client is called ${without ?? part}; there are: ${CLIENTS.map(({ name }) => name).join(', ')}`);
const folder = temporaryFolder();
try {
  for (const client of chosen) {
    const own = join(folder, client.name);
    mkdirSync(own);
    const { fits, summary, problems } = await verdictOf(client, own);
    for (const problem of problems) console.error(`${client.name}: ${problem}`);
    console.log(`${client.name}: ${summary}`);
    if (!fits) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
