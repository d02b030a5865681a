// Loaded into a server before its program, in each of its threads: ends a thread whose job is named on the socket SOAK_THREADS, as a defect would, or tells whether there is memory.
import { registerHooks } from 'node:module';
import { createServer } from 'node:net';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const JOB = /\/(?:([\w-]+)\.actor|fronts\/(front-thread))\.ts$/;
/** More than any process has in reserve. */
const LARGE_BYTES = 2 ** 29;
const channel = new BroadcastChannel('deaths');
channel.unref();

if (!isMainThread) {
  // What a thread loads says what it is for.
  const jobs = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const [, actor, front] = JOB.exec(found.url) ?? [];
      if (actor ?? front) jobs.add(actor ?? front);
      return found;
    },
  });
  channel.onmessage = ({ data }) => {
    if (jobs.has(data.wanted)) channel.postMessage({ offers: threadId });
    if (data.dies !== threadId) return;
    setTimeout(() => {
      throw new Error('the soak ends this thread');
    }, 1);
  };
} else if (process.env.SOAK_THREADS && !process.send) {
  const server = createServer((socket) => {
    let isTaken = false;
    channel.onmessage = ({ data }) => {
      // One of those that do this job is enough.
      if (isTaken || data.offers === undefined) return;
      isTaken = true;
      channel.postMessage({ dies: data.offers });
      socket.end(`${data.offers}\n`);
    };
    socket.on('error', () => {});
    socket.on('data', (job) => (String(job).trim() === 'memory' ? socket.end(hasMemory()) : channel.postMessage({ wanted: String(job).trim() })));
  });
  // A process that an actor has for itself loads this too.
  server.on('error', () => {});
  server.listen(process.env.SOAK_THREADS);
  server.unref();
}

/** Whether the system still gives this process memory. */
function hasMemory() {
  try {
    return new ArrayBuffer(LARGE_BYTES).byteLength === LARGE_BYTES ? 'taken' : 'refused';
  } catch {
    return 'refused';
  }
}
