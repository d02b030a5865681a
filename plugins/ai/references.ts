// The routes of documentary bases: lists, additions and deletions of references, and answers from a base.
import type { Librarian, Ranking } from '../../actors/library/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import Type from '../../kernel/type.ts';
import type { AiContext } from './actors.ts';
import { answerBy, requireShort } from './answers.ts';
import { answersByMeaning } from './answers-by-meaning.ts';
import { mayUse, noBase, requireUse } from './bases.ts';
import { auditNameOf, callerOf } from './caller.ts';
import { refuseLate, refuseLateSearch } from './faults.ts';
import { RANKINGS, readForm } from './forms.ts';
import { generatorOf, madeBy, modelFor } from './generation.ts';
import { requireName } from './name.ts';
import { streamed } from './streamed.ts';
import { EXTRACTIVE } from './texts.ts';

const PASSAGES = 10;
const TEXT = 'text/plain; charset=utf-8';

const SOURCE = Type.Object({
  reference: Type.String(),
  chapter: Type.Optional(Type.String()),
  page: Type.Optional(Type.Integer()),
  text: Type.String(),
  score: Type.Number(),
});
export const ANSWER = Type.Object({ result: Type.Array(Type.String()), sources: Type.Optional(Type.Array(SOURCE)) });
export const BASES = Type.Object({ documentary_bases: Type.Record(Type.String(), Type.Array(Type.String())) });

export async function listBases(ctx: AiContext, { caller }: Request): Promise<Response> {
  const all = await ctx.actors.library.at('main').list();
  const own = [...all].filter(([base]) => mayUse(ctx.config, base, 'readers', caller));
  return { status: 200, body: { documentary_bases: Object.fromEntries(own) } };
}

export async function ragPredict(ctx: AiContext, request: Request<Uint8Array | undefined>): Promise<Response> {
  const { db = '', query = '', sources, limit, ranking } = (await readForm(ctx, 'rag_predict', request)).fields;
  if (sources !== undefined && sources !== 'true' && sources !== 'false') throw new Fault('BAD_REQUEST', { detail: 'sources: must be true or false' });
  // What is wrong with other fields is told before the base is looked up: else it would tell whether there is one that the caller may not read.
  const [base, options] = [requireName('db', db), { count: passagesIn(limit), ranking: rankingIn(ctx, ranking) }];
  const model = modelFor(ctx, 'answer');
  if (model) requireShort(query);
  requireUse(ctx.config, base, 'readers', request.caller);
  const hits = await callWith(ctx.actors.library.at('main'), { signal: request.signal, deadlineMs: ctx.config.time_limit_seconds * 1_000 })
    .search(base, query, options, callerOf(request))
    .catch(refuseLateSearch);
  if (!hits) throw noBase();
  const texts = hits.map(({ text }) => text);
  // At the model callers take turns, and their requests share batches: one caller may have many.
  if (model) request.leaveTurn();
  return streamed(ctx, request, model ? madeBy(model) : EXTRACTIVE, async (say) => {
    const result = model ? await answerBy(generatorOf(ctx, model, request), query, texts, say) : await chosen(ctx, request, query, ranking === 'words', texts);
    return { result, ...(sources === 'true' && { sources: hits }) };
  });
}

/** Sentences that have words of the question; where none has one, those that mean what it asks. */
async function chosen(ctx: AiContext, request: Request, query: string, byWords: boolean, texts: readonly string[]): Promise<readonly string[]> {
  const found = await ctx.actors.text.answer(query, texts).catch(refuseLate);
  const embedder = modelFor(ctx, 'embedding');
  return found.length > 0 || byWords || !embedder ? found : answersByMeaning(ctx, request, embedder.id, query, texts);
}

function passagesIn(limit: string | undefined): number {
  if (limit === undefined) return PASSAGES;
  if (/^([1-9]|[1-4][0-9]|50)$/.test(limit)) return Number(limit);
  throw new Fault('BAD_REQUEST', { detail: 'limit: must be a whole number from 1 to 50' });
}

/** @throws Fault BAD_REQUEST, MODEL_NOT_INSTALLED */
function rankingIn(ctx: AiContext, text = 'fused'): Ranking {
  const ranking = RANKINGS.find((each) => each === text);
  if (!ranking) throw new Fault('BAD_REQUEST', { detail: `ranking: must be one of ${RANKINGS.join(', ')}` });
  if (ranking === 'vectors' && !modelFor(ctx, 'embedding'))
    throw new Fault('MODEL_NOT_INSTALLED', { detail: 'ranking: vectors need a model for embedding, and none is configured: [[ai.models]]' });
  return ranking;
}

/** The rights come before the file is read. */
export async function addReference(ctx: AiContext, request: Request<Uint8Array | undefined>): Promise<Response> {
  const { fields, file } = await readForm(ctx, 'add_reference', request);
  const [base, name] = [requireName('db', fields['db'] ?? ''), requireName('reference', fields['reference'] ?? '')];
  requireUse(ctx.config, base, 'writers', request.caller);
  if (!file) throw new Fault('BAD_REQUEST', { detail: 'missing form field: file' });
  const { config, actors } = ctx;
  const library = actors.library.at('main');
  if (!(await library.mayAdd(base, name, config.auto_create_bases))) throw noBase();
  const document = await actors.text.document(file.name, move(file.bytes)).catch(refuseLate);
  if (!(await library.add({ base, name, ...document }, config.auto_create_bases, librarianOf(request)))) throw noBase();
  return { status: 200, body: 'File successfully processed', type: TEXT };
}

export async function deleteReference(ctx: AiContext, request: Request<Uint8Array | undefined>): Promise<Response> {
  const { db = '', reference = '' } = (await readForm(ctx, 'delete_reference', request)).fields;
  const [base, name] = [requireName('db', db), requireName('reference', reference)];
  requireUse(ctx.config, base, 'writers', request.caller, noReference);
  if (!(await ctx.actors.library.at('main').remove(base, name, librarianOf(request)))) throw noReference();
  return { status: 200, body: 'Reference successfully removed', type: TEXT };
}

/** In an unknown base, too. */
function noReference(): Fault {
  return new Fault('NOT_FOUND', { detail: 'there is no reference of this name in this base' });
}

/** `[ai] open` serves callers without a name. */
function librarianOf({ caller, address }: Request): Librarian {
  return { realm: caller?.realm ?? '', user: caller ? auditNameOf(caller) : 'anonymous', scheme: caller?.scheme ?? '', source: sourceOf(address) };
}
