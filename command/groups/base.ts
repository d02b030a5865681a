// `gatehouse base ...`: documentary bases of the AI runner: documents in, answers out.
import { basename } from 'node:path';
import { command, flag, type Group } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { blobOf } from '../files.ts';

const BASE = ['<base>', 'name of the base'] as const;

const list = command({
  name: 'list',
  about: 'List the bases with their documents',
  example: 'gatehouse base list',
  async run(given) {
    const { documentary_bases: bases } = await given.client().call('GET /documentary_bases');
    given.out.table(
      Object.entries(bases).map(([base, documents]) => ({ base, documents })),
      ['base', 'documents'],
    );
  },
});

const add = command<{ readonly name?: string }>({
  name: 'add',
  about: 'Add a document (epub, pdf, docx) to a base, or replace it',
  args: [BASE, ['<file>', 'the document']],
  flags: [flag('--name <name>', 'name of the document in the base (default: that of the file)')],
  example: 'gatehouse base add manuals pump.pdf',
  async run(given, [db, file], { name }) {
    const reference = name ?? basename(file);
    // Read while it is sent: a large document is not in memory.
    const form = { db, reference, file: new File([await blobOf(file)], basename(file)) };
    await given.client().call('POST /add_reference', { form });
    given.out.done(`Added ${reference} to ${db}`, { base: db, reference });
  },
});

const ask = command<{ readonly sources?: boolean; readonly ranking?: string }>({
  name: 'ask',
  about: 'Answer a question from the documents of a base',
  args: [BASE, ['<question...>', 'the question']],
  flags: [flag('--sources', 'show the passages too'), flag('--ranking <way>', 'how passages are found', ['words', 'vectors', 'fused'])],
  example: 'gatehouse base ask manuals how often is the filter changed',
  async run(given, [db, ...question], { sources = false, ranking }) {
    const form = { db, query: question.join(' '), ...(sources && { sources: 'true' }), ...(ranking === undefined ? {} : { ranking }) };
    const answer = await given.client().call('POST /rag_predict', { form });
    if (given.out.isJson) return given.out.record(answer);
    for (const line of answer.result) given.out.line(line);
    for (const { reference, page, text } of answer.sources ?? []) given.out.line(`  ${reference}${page === undefined ? '' : `, page ${page}`}: ${text}`);
  },
});

const remove = command<Yes>({
  name: 'remove',
  about: 'Remove a document from a base',
  args: [BASE, ['<document>', 'its name in the base']],
  flags: [YES],
  example: 'gatehouse base remove manuals pump.pdf',
  async run(given, [db, reference], yes) {
    await confirmed(given, yes, `removes ${reference} from ${db}`, reference);
    await given.client().call('DELETE /delete_reference', { form: { db, reference } });
    given.out.done(`Removed ${reference} from ${db}`, { base: db, reference });
  },
});

export const BASE_GROUP: Group = { name: 'base', about: 'Documents of the AI runner', commands: [list, add, ask, remove] };
