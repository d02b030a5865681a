// What a second front on a second core is worth: all on one core, then on two with a front on each; beside the inline front, which shows what the machine gives.
import { pin, pinEach } from './cost/cores.ts';
import { threadCpuMsOf } from './cost/process-cost.ts';
import { drive } from './load/generator.ts';
import { get, type HttpRequest } from './load/http-request.ts';
import { json } from './load/kmip-json.ts';
import { type Figures, measureInTurns, type Subject, type Target } from './load/turns.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { report, round } from './report/report.ts';
import { encryptBy, startKeyServer, WITH_EMPTY } from './server/key-server.ts';

const options = parseOptions(process.argv.slice(2));
const CONNECTIONS = [16, 64];
/** Long enough that its fronts are the busiest threads of a server by far. */
const FINDING_SECONDS = 3;
const one = await measured(1);
const two = await measured(2);
const rows = ['/whoami', 'Encrypt', 'Encrypt, inline'].flatMap((what) =>
  CONNECTIONS.flatMap((connections) => {
    const [less, more] = [one(what, connections), two(what, connections)];
    if (!less || !more) return [];
    return {
      ...{ what: `${what}, two cores`, connections, 'requests/s': Math.round(more.perSecond), 'CPU us': Math.round(more.cpuUs) },
      ...{ 'one core/s': Math.round(less.perSecond), 'CPU us of one': Math.round(less.cpuUs), 'of one core': round(more.perSecond / less.perSecond, 2) },
    };
  }),
);
report('pinned', rows, limitsOf(rows));

/** On the first cores only. */
async function measured(cores: number): Promise<Figures> {
  const { server, inline, aesId, stop } = await startKeyServer(`[http]\nthreads = ${cores}\n${WITH_EMPTY}`, cores);
  // The load generator is started by this process, and gets its cores.
  pin([server.pid, inline.pid, process.pid], `0-${cores - 1}`);
  const encrypt = json(server.cookie, encryptBy(aesId));
  for (const target of [server, inline]) pinEach(await frontsOf(target, encrypt, cores));
  const subjects: Subject[] = [
    { what: '/whoami', target: server, request: get('/whoami', { cookie: server.cookie }), connections: CONNECTIONS },
    { what: 'Encrypt', target: server, request: encrypt, connections: CONNECTIONS },
    { what: 'Encrypt, inline', target: inline, request: encrypt, connections: CONNECTIONS },
  ];
  const figures = await measureInTurns(subjects, { ...options, connections: CONNECTIONS });
  await stop();
  return figures;
}

/** The threads that work most while requests are served: no request of this kind leaves its front. */
async function frontsOf(target: Target, request: HttpRequest, count: number): Promise<number[]> {
  const before = threadCpuMsOf(target.pid);
  await drive({ ...target, request, connections: Math.max(...CONNECTIONS), seconds: FINDING_SECONDS });
  const spent = [...threadCpuMsOf(target.pid)].map(([thread, ms]): [number, number] => [thread, ms - (before.get(thread) ?? 0)]);
  return spent
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([thread]) => thread);
}
