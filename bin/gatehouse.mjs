#!/usr/bin/env node
// The command `gatehouse` of an installed package: `start` runs the server, `model` manages language models, everything else is the command line for its API.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPinned } from './pinned-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [word, ...rest] = process.argv.slice(2);
const USAGE = `usage: gatehouse start [flags]   runs the server; gatehouse start --help lists the flags
       gatehouse model ...       manages language models
       gatehouse --version`;

if (word === '--version' || word === '-v') console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
else if (word === 'start') runPinned(moduleOf('main'), rest, { isServer: true });
else if (word === 'model') runPinned(moduleOf('model'), rest, { isServer: false });
else if (moduleOf('command/main') !== undefined) runPinned(moduleOf('command/main'), process.argv.slice(2), { isServer: false });
else {
  const isAsked = word === '--help' || word === '-h';
  console[isAsked ? 'log' : 'error'](USAGE);
  process.exit(isAsked ? 0 : 2);
}

/** In a clone the sources, in a package what was made of them. */
function moduleOf(name) {
  return [`${name}.js`, `${name}.ts`].map((file) => join(root, file)).find((path) => existsSync(path));
}
