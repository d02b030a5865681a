// Runs the clients that others wrote, unmodified, against started servers: `run.ts [part of a name]`.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../server.ts';
import type { ForeignClient } from './client.ts';
import { CLIENTS } from './clients.ts';

const [part = ''] = process.argv.slice(2);
const chosen = CLIENTS.filter(({ name }) => name.includes(part));
if (chosen.length === 0) throw new Error(`no foreign client is called ${part}; there are: ${CLIENTS.map(({ name }) => name).join(', ')}`);
const folder = temporaryFolder();
try {
  for (const client of chosen) if (!(await passes(client))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function passes(client: ForeignClient): Promise<boolean> {
  const own = join(folder, client.name);
  mkdirSync(own);
  const missing = await client.prepare(own);
  if (missing !== undefined) {
    console.log(`${client.name}: skipped, ${missing}`);
    return true;
  }
  const { passed, problems } = await client.run(own);
  for (const problem of problems) console.error(`${client.name}: ${problem}`);
  console.log(`${client.name}: ${passed} passed, ${problems.length} failed`);
  return problems.length === 0 && passed > 0;
}
