#!/usr/bin/env node
// The command `gatehouse`: hands its arguments to the launcher, which runs it with the pinned Node. Plain JavaScript for any Node from version 18.
process.argv.splice(2, 0, 'cli');
await import('./launch.mjs');
