// Measures how well and how fast a documentary base answers: a judged collection is added as docx files and asked through the API. GATEHOUSE_COLLECTION names its folder, GATEHOUSE_MODELS that of all-MiniLM-L6-v2.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { docx } from '../test/plugins/ai/files.ts';
import { type BareEmbedding, bareEmbedding } from './bare/bare-embedder.ts';
import { type Collection, ndcgAt10, readCollection } from './collection.ts';
import { type Limit, percentile, type Row, report, round } from './report/report.ts';
import { postForm } from './server/form-request.ts';
import { type ServerProcess, startServerProcess } from './server/server-process.ts';

const CLIENTS = 8;
/** Passages of one document may come several times. */
const PASSAGES = '30';
/** What a plain implementation reaches, or more. */
const MIN_NDCG = { words: 0.34, vectors: 0.39, fused: 0.42 } as const;
/** How much longer the vectors may take than bare ONNX Runtime on texts that are tokens already. */
const MAX_OVERHEAD = 1.1;
type Ranking = keyof typeof MIN_NDCG;

const folder = process.env['GATEHOUSE_COLLECTION'];
if (folder === undefined) console.log('skipped: retrieval needs a judged collection; GATEHOUSE_COLLECTION names its folder');
else await measure(folder);

async function measure(path: string): Promise<void> {
  const model = join(process.env['GATEHOUSE_MODELS'] ?? '/nonexistent', 'all-MiniLM-L6-v2');
  const hasModel = existsSync(model);
  const { documents: all, questions } = readCollection(path);
  // Some collections have entries without a word.
  const documents = all.filter(({ title, text }) => title !== '' || text !== '');
  const server = await startServerProcess(hasModel ? `[[ai.models]]\nid = "minilm"\ntask = "embedding"\nfolder = "${model}"\n` : '', CLIENTS);
  const rows: Row[] = [];
  const limits: Limit[] = [];
  try {
    const bare: BareEmbedding[] = [];
    // Half of it before and half after, for a machine that gets faster or slower meanwhile.
    if (hasModel) bare.push(await bareOf(model, documents, 0));
    const made = await index(server, documents, rows);
    if (hasModel) bare.push(await bareOf(model, documents, 1));
    if (made) compare(made, bare, documents.length, rows, limits);
    for (const ranking of hasModel ? (['words', 'vectors', 'fused'] as const) : (['words'] as const)) {
      const { row, ndcg } = await ask(server, questions, ranking);
      rows.push(row);
      limits.push({ limit: `nDCG@10 ${ranking}, at least ${MIN_NDCG[ranking]}`, value: ndcg, holds: ndcg >= MIN_NDCG[ranking] });
    }
  } finally {
    await server.stop();
  }
  report('retrieval', rows, limits);
}

/** Documents whose vectors were made while nothing else ran, and how long that took. */
interface Embedded {
  readonly documents: number;
  readonly ms: number;
}

async function index(server: ServerProcess, documents: Collection['documents'], rows: Row[]): Promise<Embedded | undefined> {
  // Made before the clock starts, because this client shares the cores with the server.
  const files = await Promise.all(documents.map(async ({ id, title, text }) => ({ id, bytes: await docx([`# ${title}`, text || title]) })));
  const addedAt = performance.now();
  await together(files, async ({ id, bytes }) => {
    await postForm(server, '/add_reference', { db: 'documents', reference: id }, { name: `${id}.docx`, bytes });
  });
  const addedMs = performance.now() - addedAt;
  rows.push({ what: 'add a document', 'requests/s': round((documents.length * 1_000) / addedMs) });
  const left = (await modelsOf(server)).embedding?.waiting ?? 0;
  const beganAt = performance.now();
  const memory = await embedded(server);
  const [ms, all] = [performance.now() - beganAt, performance.now() - addedAt];
  // The first question builds the index.
  const indexedAt = performance.now();
  await postForm(server, '/rag_predict', { db: 'documents', query: 'first' });
  rows.push({ what: 'build the index', ms: round(performance.now() - indexedAt) });
  if (memory === 0) return undefined;
  rows.push({ what: 'all documents, from the first request to the last vector', ms: round(all), 'documents/s': perSecond(documents.length, all), MiB: memory });
  return { documents: left, ms };
}

interface Models {
  readonly models: readonly { readonly memory_mb: number }[];
  readonly embedding?: { readonly waiting: number; readonly problem?: string };
}

async function modelsOf({ ask: get, cookie }: ServerProcess): Promise<Models> {
  return JSON.parse(await get({ method: 'GET', path: '/models', headers: { cookie } })) as Models;
}

/** Waits until all documents have vectors. @returns the memory of the model; 0 without one */
async function embedded(server: ServerProcess): Promise<number> {
  for (;;) {
    const { models, embedding } = await modelsOf(server);
    if (embedding?.problem) throw new Error(embedding.problem);
    if (!embedding || embedding.waiting === 0) return models[0]?.memory_mb ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param parity of the documents: every other one is taken */
async function bareOf(model: string, documents: Collection['documents'], parity: 0 | 1): Promise<BareEmbedding> {
  const threads = Math.max(1, availableParallelism() - 1);
  return bareEmbedding(
    model,
    documents.filter((_, at) => at % 2 === parity).map(({ title, text }) => `${title}. ${text || title}`),
    threads,
  );
}

function compare(made: Embedded, parts: readonly BareEmbedding[], documents: number, rows: Row[], limits: Limit[]): void {
  const bare = parts.reduce((sum, { ms }) => sum + ms, 0) / documents;
  const windows = parts.reduce((sum, part) => sum + part.windows, 0) / documents;
  const ms = made.ms / made.documents;
  // The product makes a vector of each passage and its title, which are about as many as the windows.
  const row = (what: string, each: number) => ({ what, 'documents/s': perSecond(1, each), 'embeddings/s': perSecond(windows, each) });
  rows.push(row('vectors, nothing else to do', ms), { ...row('the same texts in bare ONNX Runtime', bare), MiB: Math.max(...parts.map(({ MiB }) => MiB)) });
  const overhead = round(ms / bare, 3);
  const limit = `vectors of a document, at most ${MAX_OVERHEAD} times bare ONNX Runtime`;
  limits.push({ limit, value: overhead, holds: overhead <= MAX_OVERHEAD });
}

async function ask(server: ServerProcess, questions: Collection['questions'], ranking: Ranking): Promise<{ readonly row: Row; readonly ndcg: number }> {
  const times: number[] = [];
  const gains = new Map<number, number>();
  const askedAt = performance.now();
  await together([...questions.entries()], async ([at, { text, relevant }]) => {
    const startedAt = performance.now();
    const { sources } = (await postForm(server, '/rag_predict', { db: 'documents', query: text, sources: 'true', limit: PASSAGES, ranking })) as {
      sources: { reference: string }[];
    };
    times.push(performance.now() - startedAt);
    gains.set(at, ndcgAt10([...new Set(sources.map(({ reference }) => reference))], relevant));
  });
  const askedMs = performance.now() - askedAt;
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const half = (parity: number) => round(mean([...gains].flatMap(([at, gain]) => (at % 2 === parity ? [gain] : []))), 4);
  const ndcg = round(mean([...gains.values()]), 4);
  const speed = {
    'queries/s': perSecond(questions.length, askedMs),
    'p50 ms': round(percentile(times, 0.5)),
    'p99 ms': round(percentile(times, 0.99)),
  };
  return { row: { what: `ask, by ${ranking}`, 'nDCG@10': ndcg, 'odd questions': half(0), 'even questions': half(1), ...speed }, ndcg };
}

function perSecond(count: number, ms: number): number {
  return round((count * 1_000) / ms);
}

async function together<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const client = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}
