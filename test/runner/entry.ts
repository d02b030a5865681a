// The process of one test file: imports it and reports to the runner how many suites it has registered.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** File descriptor for the report, separate from the output of tests. */
const REPORT_FD = 3;

/** What a failed test has left open, such as a server, must not keep the process until its time limit. */
const AFTER_FAILURE_MS = 1_000;

const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: entry.ts FILE');
// Remove this script from the arguments, as if the test file had been started directly.
process.argv.splice(1, 1);
const { UVU_QUEUE: queue = [] } = globalThis as { UVU_QUEUE?: unknown[][] };
(globalThis as { UVU_QUEUE?: unknown[][] }).UVU_QUEUE = queue;
process.on('exit', () => void writeSync(REPORT_FD, String(queue.flat().filter((each) => typeof each === 'function').length)));
// uvu sets the status when all suites have ended. The timer does not keep the process.
const looking = setInterval(() => {
  if (process.exitCode !== 1) return;
  clearInterval(looking);
  setTimeout(() => process.exit(), AFTER_FAILURE_MS).unref();
}, AFTER_FAILURE_MS).unref();
await import(pathToFileURL(file).href);
