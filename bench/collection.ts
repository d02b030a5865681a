// A retrieval collection with judged answers: documents, questions, and which documents answer each (the format of the Cranfield collection).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Collection {
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  /** In the order that the judgements count. */
  readonly questions: readonly { readonly text: string; readonly relevant: ReadonlySet<string> }[];
}

/** @param folder with files whose names end in `.all.<number>`, `.qry` and `qrel` */
export function readCollection(folder: string): Collection {
  const names = readdirSync(folder);
  const read = (ending: RegExp) => readFileSync(join(folder, names.find((name) => ending.test(name)) ?? ''), 'utf8');
  const documents = partsOf(read(/\.all(\.\d+)?$/)).map((part) => ({ id: part.id, title: squeeze(part.fields.get('T')), text: squeeze(part.fields.get('W')) }));
  const judged = read(/qrel$/)
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const questions = partsOf(read(/\.qry$/)).map(({ fields }, index) => {
    const relevant = judged.flatMap(([question, document, degree]) => (Number(question) === index + 1 && Number(degree) >= 1 ? [document as string] : []));
    return { text: squeeze(fields.get('W')), relevant: new Set(relevant) };
  });
  return { documents, questions };
}

function partsOf(text: string): { readonly id: string; readonly fields: ReadonlyMap<string, string> }[] {
  return text
    .split(/^\.I /m)
    .slice(1)
    .map((part) => {
      const [id = '', ...rest] = part.split(/^\.([TABW])\s*$/m);
      const fields = new Map<string, string>();
      for (let at = 0; at < rest.length; at += 2) fields.set(rest[at] as string, rest[at + 1] ?? '');
      return { id: id.trim(), fields };
    });
}

const squeeze = (text = '') => text.replaceAll(/\s+/g, ' ').trim();

/** Normalized discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002), each document relevant or not. */
export function ndcgAt10(found: readonly string[], relevant: ReadonlySet<string>): number {
  if (relevant.size === 0) return 0;
  const gain = (at: number) => 1 / Math.log2(at + 2);
  const dcg = found.slice(0, 10).reduce((sum, id, at) => sum + (relevant.has(id) ? gain(at) : 0), 0);
  return dcg / Array.from({ length: Math.min(10, relevant.size) }, (_, at) => gain(at)).reduce((sum, one) => sum + one, 0);
}
