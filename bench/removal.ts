// How long it takes to remove a large document from a base: its passages, their words and their vectors.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { writeModel } from '../test/models/build.ts';
import { docx } from '../test/plugins/ai/files.ts';
import { cpuMsOf } from './cost/process-cost.ts';
import { median, progress, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { deleteForm, postForm } from './server/form-request.ts';
import { type ServerProcess, startServerProcess } from './server/server-process.ts';

const PASSAGES = 6_000;
const BASE = 'documents';
const POLL_MS = 100;

/** @param rounds how often one is added and removed */
export async function removal(rounds: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-removal-'));
  const server = await startServerProcess(`[[ai.models]]\nid = "small"\ntask = "embedding"\nfolder = "${writeModel('embedder', folder)}"\n`, 4);
  try {
    // Each chapter is a passage of its own.
    const chapters = Array.from({ length: PASSAGES }, (_, index) => [`# Chapter ${index}`, `The watchman of night ${index} counts the boats in the harbour.`]);
    const bytes = await docx(chapters.flat());
    const times: number[] = [];
    const costs: number[] = [];
    for (let turn = 1; turn <= rounds; turn++) {
      await postForm(server, '/add_reference', { db: BASE, reference: 'book' }, { name: 'book.docx', bytes });
      await embedded(server);
      // The first question builds the index.
      await postForm(server, '/rag_predict', { db: BASE, query: 'Who counts the boats?' });
      const before = cpuMsOf(server.pid);
      const startedAt = performance.now();
      await deleteForm(server, '/delete_reference', { db: BASE, reference: 'book' });
      times.push(performance.now() - startedAt);
      costs.push(cpuMsOf(server.pid) - before);
      progress(`removal ${turn} of ${rounds}`);
    }
    return [{ what: `remove a document of ${PASSAGES} passages`, ms: round(median(times)), 'CPU ms': round(median(costs)) }];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function embedded({ ask, cookie }: ServerProcess): Promise<void> {
  for (;;) {
    const { embedding } = JSON.parse(await ask({ method: 'GET', path: '/models', headers: { cookie } })) as {
      embedding?: { waiting: number; problem?: string };
    };
    if (embedding?.problem) throw new Error(embedding.problem);
    if (embedding?.waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
