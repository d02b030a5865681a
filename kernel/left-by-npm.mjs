// Tells a process that npm has started when npm is gone: it passes on SIGTERM and SIGINT, but no SIGHUP, and nothing when it is killed. Plain JavaScript, because the launcher uses it too.

const LOOK_MS = 1_000;

/**
 * Only `npm start`, which runs this process as its own child (exec in package.json): scripts of others may start a server that outlives them.
 * @param {() => void} run called once
 * @returns {void}
 */
export function whenLeftByNpm(run) {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    run();
  }, LOOK_MS);
  timer.unref();
}
