#!/usr/bin/env node
// The command `gatehouse`: `start` runs the server, `model` manages language models, everything else is the command line for its API. Plain JavaScript for any Node from version 18.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const word = process.argv[2];
const isServer = word === 'start';
const isNamed = isServer || word === 'model';

if (word === '--version' || word === '-v') console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
else if (existsSync(join(root, 'launch.mjs'))) {
  // A clone, whose dependencies may be missing.
  if (!isNamed) process.argv.splice(2, 0, 'cli');
  await import('../launch.mjs');
} else {
  const { runPinned } = await import('./pinned-node.mjs');
  const module = isServer ? 'main.js' : isNamed ? 'model.js' : 'command/main.js';
  runPinned(join(root, module), process.argv.slice(isNamed ? 3 : 2), { isServer, isReplacing: word !== 'model' });
}
