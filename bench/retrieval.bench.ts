// Measures how well and how fast a documentary base answers: a judged collection is added as docx files and asked through the API. GATEHOUSE_COLLECTION names its folder.
import { performance } from 'node:perf_hooks';
import { request } from 'undici';
import { docx, form } from '../test/plugins/ai/files.ts';
import { ndcgAt10, readCollection } from './collection.ts';
import { percentile, report, round } from './report.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

const CLIENTS = 8;
/** Passages of one document may come several times. */
const PASSAGES = '30';
const MIN_NDCG = 0.34;

const folder = process.env['GATEHOUSE_COLLECTION'];
if (folder === undefined) console.log('skipped: retrieval needs a judged collection; GATEHOUSE_COLLECTION names its folder');
else await measure(folder);

async function measure(path: string): Promise<void> {
  const { documents: all, questions } = readCollection(path);
  // Some collections have entries without a word.
  const documents = all.filter(({ title, text }) => title !== '' || text !== '');
  const server = await startServerProcess('', CLIENTS);
  const addedAt = performance.now();
  await together(documents, async ({ id, title, text }) => {
    await post(server, '/add_reference', { db: 'documents', reference: id }, { name: `${id}.docx`, bytes: await docx([`# ${title}`, text || title]) });
  });
  const addedMs = performance.now() - addedAt;
  // The first question builds the index.
  const indexedAt = performance.now();
  await post(server, '/rag_predict', { db: 'documents', query: 'first' });
  const indexedMs = performance.now() - indexedAt;
  const times: number[] = [];
  const gains = new Map<number, number>();
  const askedAt = performance.now();
  await together([...questions.entries()], async ([index, { text, relevant }]) => {
    const startedAt = performance.now();
    const { sources } = (await post(server, '/rag_predict', { db: 'documents', query: text, sources: 'true', limit: PASSAGES })) as {
      sources: { reference: string }[];
    };
    times.push(performance.now() - startedAt);
    gains.set(index, ndcgAt10([...new Set(sources.map(({ reference }) => reference))], relevant));
  });
  const askedMs = performance.now() - askedAt;
  await server.stop();
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const half = (odd: number) => mean([...gains].flatMap(([index, gain]) => (index % 2 === odd ? [gain] : [])));
  const ndcg = mean([...gains.values()]);
  report(
    'retrieval',
    [
      { what: 'BM25', 'nDCG@10': round(ndcg, 4), 'odd questions': round(half(0), 4), 'even questions': round(half(1), 4) },
      { what: 'add a document', 'requests/s': round((documents.length * 1_000) / addedMs) },
      { what: 'build the index', ms: round(indexedMs) },
      {
        what: 'ask',
        'requests/s': round((questions.length * 1_000) / askedMs),
        'p50 ms': round(percentile(times, 0.5)),
        'p99 ms': round(percentile(times, 0.99)),
      },
    ],
    [{ limit: `nDCG@10 without a model, at least ${MIN_NDCG}`, value: round(ndcg, 4), holds: ndcg >= MIN_NDCG }],
  );
}

async function together<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const client = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function post({ address, agent, cookie }: ServerProcess, path: string, ...given: Parameters<typeof form>): Promise<unknown> {
  const { headers, body } = await form(...given);
  const answer = await request(`${address}${path}`, { method: 'POST', headers: { ...headers, cookie }, body, dispatcher: agent });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}
