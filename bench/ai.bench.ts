// Measures the AI runner with the small models of the tests: tokens, first tokens, nine clients beside one, sign-in and keys while a model works, the removal of a large document, and the exact search.
import { mkdtempSync, rmSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { VectorIndex } from '../actors/library/vector-index.ts';
import { writeModel } from '../test/models/build.ts';
import { lessons } from '../test/models/phrasebook.ts';
import { besideInference } from './beside-inference.ts';
import { parseOptions } from './options.ts';
import { removal } from './removal.ts';
import { limitsOf } from './report/limits.ts';
import { median, percentile, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { firstEventMs, postForm } from './server/form-request.ts';
import { kmipListener } from './server/kmip-listener.ts';
import { startServerProcess } from './server/server-process.ts';

/** A long text fills the batches of the model alone; one of a single window leaves room for others. */
const SENTENCES = 60;
const WINDOW_SENTENCES = 2;
const WINDOWS_IN_TURN = 10;
const CLIENTS = 9;
/** Clients that keep the model at work. */
const BUSY_CLIENTS = 4;
const DIMENSIONS = 384;
/** What the runtime needs is little beside them. */
const VECTOR_BYTES = 2 * DIMENSIONS * Float32Array.BYTES_PER_ELEMENT;
const SEARCHES = 20;
const RECALL_QUESTIONS = 3;

const options = parseOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-model-'));
const table = (id: string, task: string, of: string) => `[[ai.models]]\nid = "${id}"\ntask = "${task}"\nfolder = "${of}"\n`;
const listener = await kmipListener(folder);
const config = `${listener.config}${table('en-fr', 'translation', writeModel('opus-mt-en-fr', folder))}languages = ["en-fr"]\n`;
const server = await startServerProcess(config, CLIENTS + BUSY_CLIENTS + 4);
const textOf = (sentences: number) =>
  lessons('en')
    .heldOut.slice(0, sentences)
    .map(([english]) => `${english}.`)
    .join(' ');
const [doc, windowText] = [textOf(SENTENCES), textOf(WINDOW_SENTENCES)];
const fields = (text: string) => ({ doc: text, src_lang: 'en', tgt_lang: 'fr' });
const translate = async (text: string) => ((await postForm(server, '/translate', fields(text))) as { translation: string }).translation;
const rows: Row[] = [];
try {
  // Loads the model.
  await translate(doc);
  const rounds: Awaited<ReturnType<typeof measure>>[] = [];
  for (let turn = 1; turn <= options.rounds; turn++) {
    rounds.push(await measure());
    progress(`round ${turn} of ${options.rounds}`);
  }
  const of = (name: keyof (typeof rounds)[number]) => median(rounds.map((each) => each[name]));
  rows.push(
    { what: 'translate a long text, one client', ms: round(of('one')), 'tokens/s': Math.round(of('tokens')) },
    { what: 'translate a long text, nine clients', ms: round(of('nine')), 'of one client': round(median(rounds.map(({ one, nine }) => nine / one)), 2) },
    { what: 'translate one window, one client', ms: round(of('window'), 2) },
    {
      ...{ what: 'translate one window, nine clients', ms: round(of('nineWindows'), 2) },
      'of one client': round(median(rounds.map(({ window, nineWindows }) => nineWindows / window)), 2),
    },
    { what: 'first token', ms: round(of('first'), 2) },
  );
  const kmip = await listener.connect(server);
  const work = async (until: number) => {
    while (performance.now() < until) await translate(doc);
  };
  rows.push(...(await besideInference(server, kmip, options, { work, clients: BUSY_CLIENTS })));
  kmip.close();
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
rows.push(...(await removal(options.rounds)));
for (const count of [10_000, 100_000, 1_000_000]) if (count * VECTOR_BYTES < freemem()) rows.push(search(count));
report('ai', rows, limitsOf(rows));

/** @returns milliseconds of the same work for one client and for nine at once, and until the first token of one sentence */
async function measure() {
  let text = '';
  const one = await timeOf(async () => {
    text = await translate(doc);
  });
  const nine = await timeOf(() => together(() => translate(doc)));
  const window = await timeOf(() => inTurn(() => translate(windowText)));
  const nineWindows = await timeOf(() => together(() => inTurn(() => translate(windowText))));
  // In this model each word is a token.
  const tokens = (text.split(/[ .]+/).length * 1_000) / one;
  return {
    one,
    nine,
    tokens,
    window: window / WINDOWS_IN_TURN,
    nineWindows: nineWindows / WINDOWS_IN_TURN,
    first: await firstEventMs(server, '/translate', fields('the black cat sleeps.')),
  };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function together(work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, work));
}

async function inTurn(work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < WINDOWS_IN_TURN; turn++) await work();
}

/** The exact search compares a question with every passage; that none of the nearest is missed is measured all the same, against plain sums. */
function search(count: number): Row {
  const vectors = new Float32Array(count * DIMENSIONS);
  for (let at = 0; at < vectors.length; at++) vectors[at] = Math.random() - 0.5;
  const index = new VectorIndex();
  index.add('book', { windows: Array.from({ length: count }, () => 1), vectors });
  const times = Array.from({ length: SEARCHES }, (_, question) => {
    const startedAt = performance.now();
    index.search(vectors.slice(question * DIMENSIONS, (question + 1) * DIMENSIONS), DIMENSIONS, 10);
    return performance.now() - startedAt;
  });
  return {
    what: `exact search among ${count} passages`,
    'recall@10': recallOf(index, vectors),
    ms: round(median(times), 2),
    'p99 ms': round(percentile(times, 0.99), 2),
    'requests/s': round(1_000 / median(times)),
  };
}

/** @returns the share of the ten nearest passages that the index finds, of questions that are no passages */
function recallOf(index: VectorIndex, vectors: Float32Array): number {
  let found = 0;
  for (let question = 0; question < RECALL_QUESTIONS; question++) {
    const asked = Float32Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
    const similarity = (passage: number) => {
      let sum = 0;
      for (let axis = 0; axis < DIMENSIONS; axis++) sum += (asked[axis] as number) * (vectors[passage * DIMENSIONS + axis] as number);
      return sum;
    };
    const all = Float64Array.from({ length: vectors.length / DIMENSIONS }, (_, passage) => similarity(passage)).sort();
    const tenth = all.at(-10) as number;
    found += index.search(asked, DIMENSIONS, 10).filter(({ ordinal }) => similarity(ordinal) >= tenth).length;
  }
  return round(found / (10 * RECALL_QUESTIONS), 3);
}
