// Measures a generating model with the sizes of OPUS-MT: tokens and first tokens of one client, nine at once beside one, and what bare ONNX Runtime takes for the same batch.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startBare } from './bare/bare-process.ts';
import { cpuMsOf, treeOf } from './cost/process-cost.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, progress, report, round } from './report/report.ts';
import { firstEventMs, postForm } from './server/form-request.ts';
import { writeOpusModel } from './server/opus-model.ts';
import { startServerProcess } from './server/server-process.ts';

const CLIENTS = 9;
/** Of each text, and of what is written for it. */
const WORDS = 60;
const TOKENS = 48;

const options = parseOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-opus-'));
const model = writeOpusModel(folder, TOKENS);
const threads = Math.max(1, availableParallelism() - 1);
const server = await startServerProcess(`[[ai.models]]\nid = "opus"\ntask = "summary"\nfolder = "${model}"\n`, CLIENTS + 2);
const doc = Array.from({ length: WORDS }, (_, word) => `w${word}`).join(' ');
const summarise = () => postForm(server, '/summarize', { doc });
const bare = await startBare(model, threads);
const rounds: { one: Cost; nine: Cost; first: number; bareOne: Cost; bareNine: Cost; bareFirst: number }[] = [];
try {
  // Loads the model; the first run allocates.
  await summarise();
  await bare.write(CLIENTS, WORDS + 1, TOKENS);
  // Of the process of the model: on a busy machine the times of the others say more of that machine.
  const own = treeOf(server.pid).filter((pid) => pid !== server.pid);
  for (let turn = 1; turn <= options.rounds; turn++) {
    const one = await costOf(own, summarise);
    const bareOne = await costOf([bare.pid], () => bare.write(1, WORDS + 1, TOKENS));
    const nine = await costOf(own, () => Promise.all(Array.from({ length: CLIENTS }, summarise)));
    const bareNine = await costOf([bare.pid], () => bare.write(CLIENTS, WORDS + 1, TOKENS));
    const [first, bareFirst] = [await firstEventMs(server, '/summarize', { doc }), await bare.write(1, WORDS + 1, 1)];
    rounds.push({ one, bareOne, nine, bareNine, first, bareFirst });
    progress(`round ${turn} of ${options.rounds}`);
  }
} finally {
  await server.stop();
  await bare.close();
  rmSync(folder, { recursive: true, force: true });
}

type Subject = Exclude<keyof (typeof rounds)[number], 'first' | 'bareFirst'>;
const of = (what: Subject, cost: keyof Cost) => median(rounds.map((round) => round[what][cost]));
const share = (cost: keyof Cost, what: Subject, other: Subject) => round(median(rounds.map((each) => each[what][cost] / each[other][cost])), 2);
const speed = (what: Subject, rows: number) => ({
  ms: round(of(what, 'ms')),
  'tokens/s': round((rows * TOKENS * 1_000) / of(what, 'ms')),
  'CPU ms': round(of(what, 'cpuMs')),
});
const ofBare = (what: Subject, bareWhat: Subject) => ({ 'of bare': share('ms', what, bareWhat), 'CPU of bare': share('cpuMs', what, bareWhat) });
const rows = [
  { what: 'one client', ...speed('one', 1), ...ofBare('one', 'bareOne') },
  { what: 'nine clients', ...speed('nine', CLIENTS), ...ofBare('nine', 'bareNine'), 'of one client': share('ms', 'nine', 'one') },
  { what: 'one row in bare ONNX Runtime', ...speed('bareOne', 1) },
  { what: 'nine rows in bare ONNX Runtime', ...speed('bareNine', CLIENTS), 'of one client': share('ms', 'bareNine', 'bareOne') },
  { what: 'first token', ms: round(median(rounds.map(({ first }) => first))) },
  { what: 'first token in bare ONNX Runtime', ms: round(median(rounds.map(({ bareFirst }) => bareFirst))) },
];
report('generation', rows, limitsOf(rows));

interface Cost {
  readonly ms: number;
  /** Of the process that runs the model. */
  readonly cpuMs: number;
}

async function costOf(pids: readonly number[], work: () => Promise<unknown>): Promise<Cost> {
  const cpuMs = () => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const [beganAt, before] = [performance.now(), cpuMs()];
  await work();
  return { ms: performance.now() - beganAt, cpuMs: cpuMs() - before };
}
