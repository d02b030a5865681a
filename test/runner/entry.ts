// The process of one test file: imports it, and tells the runner at the end how many suites it had registered.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Where the runner listens, apart from all that a test prints. */
const REPORT_FD = 3;

const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: entry.ts FILE');
// As if the file had been started by itself.
process.argv.splice(1, 1);
const { UVU_QUEUE: queue = [] } = globalThis as { UVU_QUEUE?: unknown[][] };
(globalThis as { UVU_QUEUE?: unknown[][] }).UVU_QUEUE = queue;
process.on('exit', () => void writeSync(REPORT_FD, String(queue.flat().filter((each) => typeof each === 'function').length)));
await import(pathToFileURL(file).href);
