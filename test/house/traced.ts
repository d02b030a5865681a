// Which sources run while something happens: counted by V8 in the main thread and in every worker thread of this process.
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const OURS = /^(main\.ts|(kernel|kmip|crypto|plugins|actors)\/.+\.ts)$/;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { readonly startOffset: number; readonly count: number }[] }[];
}

type Post = (method: string, params?: object) => Promise<unknown>;

export interface Tracer {
  /** @returns the sources, sorted, of which a function has run since the work began: whoever called it */
  filesOf(work: () => Promise<unknown>): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Call it when all threads have been started: of later ones it learns too, but not from their beginning. */
export async function startTracer(): Promise<Tracer> {
  const session = new Session();
  session.connect();
  const main: Post = (method, params) => session.post(method as 'Profiler.enable', params as undefined);
  const workers = await attachWorkers(session);
  const all = [main, ...workers];
  for (const post of all) {
    await post('Profiler.enable');
    await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }
  const take = async () => (await Promise.all(all.map((post) => post('Profiler.takePreciseCoverage')))) as { result: readonly ScriptCoverage[] }[];
  return {
    async filesOf(work) {
      await take();
      await work();
      const taken = await take();
      return [...new Set(taken.flatMap(({ result }) => result.filter(hasRun).flatMap(({ url }) => ours(url))))].sort();
    },
    async stop() {
      for (const post of all) await post('Profiler.disable');
      session.disconnect();
    },
  };
}

/** The body of a module runs when it is loaded: that is no part of a request. */
function hasRun({ functions }: ScriptCoverage): boolean {
  return functions.some(({ functionName, ranges }) => ranges[0] !== undefined && ranges[0].count > 0 && !(functionName === '' && ranges[0].startOffset === 0));
}

function ours(url: string): string[] {
  if (!url.startsWith('file:')) return [];
  const path = fileURLToPath(url);
  return path.startsWith(root) && OURS.test(path.slice(root.length)) ? [path.slice(root.length)] : [];
}

/** A session in each worker thread, by messages that the main thread passes on. */
async function attachWorkers(session: Session): Promise<readonly Post[]> {
  const ids: string[] = [];
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  session.on('NodeWorker.attachedToWorker', ({ params }) => void ids.push(params.sessionId));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return ids.map(
    (sessionId): Post =>
      (method, params = {}) =>
        new Promise((resolve, reject) => {
          const id = ++last;
          waiting.set(id, resolve);
          session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) }).catch(reject);
        }),
  );
}
