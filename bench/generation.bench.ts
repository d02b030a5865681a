// Measures a generating model with the sizes of OPUS-MT: tokens and first tokens of one client, nine at once beside one, and what bare ONNX Runtime takes for the same batch.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openBare } from './bare-generator.ts';
import { firstEventMs, postForm } from './form-request.ts';
import { limitsOf } from './limits.ts';
import { parseOptions } from './options.ts';
import { writeOpusModel } from './opus-model.ts';
import { median, progress, report, round } from './report.ts';
import { startServerProcess } from './server-process.ts';

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
const bare = await openBare(model, threads);
const rounds: { one: number; nine: number; first: number; bareOne: number; bareNine: number }[] = [];
try {
  // Loads the model; the first run allocates.
  await summarise();
  await bare.write(CLIENTS, WORDS + 1, TOKENS);
  for (let turn = 1; turn <= options.rounds; turn++) {
    const one = await timeOf(summarise);
    const bareOne = await bare.write(1, WORDS + 1, TOKENS);
    const nine = await timeOf(() => Promise.all(Array.from({ length: CLIENTS }, summarise)));
    const bareNine = await bare.write(CLIENTS, WORDS + 1, TOKENS);
    rounds.push({ one, bareOne, nine, bareNine, first: await firstEventMs(server, '/summarize', { doc }) });
    progress(`round ${turn} of ${options.rounds}`);
  }
} finally {
  await server.stop();
  await bare.close();
  rmSync(folder, { recursive: true, force: true });
}

type Round = (typeof rounds)[number];
const of = (value: (each: Round) => number) => median(rounds.map(value));
const speed = (value: (each: Round) => number, rows: number) => ({ ms: round(of(value)), 'tokens/s': round((rows * TOKENS * 1_000) / of(value)) });
const share = (value: (each: Round) => number) => round(of(value), 2);
const rows = [
  { what: 'one client', ...speed(({ one }) => one, 1), 'of bare': share(({ one, bareOne }) => one / bareOne) },
  {
    ...{ what: 'nine clients', ...speed(({ nine }) => nine, CLIENTS), 'of bare': share(({ nine, bareNine }) => nine / bareNine) },
    'of one client': share(({ one, nine }) => nine / one),
  },
  { what: 'one row in bare ONNX Runtime', ...speed(({ bareOne }) => bareOne, 1) },
  {
    what: 'nine rows in bare ONNX Runtime',
    ...speed(({ bareNine }) => bareNine, CLIENTS),
    'of one client': share(({ bareOne, bareNine }) => bareNine / bareOne),
  },
  { what: 'first token', ms: round(of(({ first }) => first)) },
];
report('generation', rows, limitsOf(rows));

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}
