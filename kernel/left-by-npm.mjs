// Tells a process that npm has started when npm is gone: it passes on SIGTERM and SIGINT, but no SIGHUP, and nothing when it is killed. Plain JavaScript, because the launcher uses it too.

const LOOK_MS = 1_000;
/** What npm says that it runs for `npm start` and `npx gatehouse start`: this process as its own child (exec in package.json), or below a shell that ends with it. */
const RUN_BY = new Set(['start', 'npx']);

/**
 * Only where npm itself was asked for the server: other scripts may start one that outlives them.
 * @param {() => void} run called once
 * @returns {void}
 */
export function whenLeftByNpm(run) {
  if (!RUN_BY.has(process.env.npm_lifecycle_event ?? '')) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    run();
  }, LOOK_MS);
  timer.unref();
}
