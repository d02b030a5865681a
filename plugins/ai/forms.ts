// The forms of the AI runner: which fields each has, and what the OpenAPI document says of them.
import type { TProperties, TSchema } from 'typebox';
import type { Form } from '../../actors/text/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import { move, toOwned } from '../../kernel/runtime/channel/bytes.ts';
import Type from '../../kernel/type.ts';
import type { AiContext } from './actors.ts';
import { refuseLate } from './faults.ts';

const MULTIPART = 'multipart/form-data';
export const FORM_TYPES = [MULTIPART, 'application/x-www-form-urlencoded'];

/** Of the largest `[ai] text_limit`. */
const text = (description: string, examples: readonly string[]) => Type.String({ maxLength: 16_777_216, description, examples: [...examples] });
/** See name.ts. */
const NAME = '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f/\\\\]+$';
const name = (description: string, example: string) => Type.String({ minLength: 1, maxLength: 128, pattern: NAME, description, examples: [example] });
const language = (description: string, example: string) =>
  Type.String({ minLength: 2, maxLength: 35, pattern: '^[A-Za-z]{2}([-_][A-Za-z0-9]{1,8})*$', description, examples: [example] });
const file = Type.String({ format: 'binary', maxLength: 134_217_728, description: 'an epub, pdf or docx file' });
const query = text('the question', ['Who may enter the building?']);
const db = name('name of the documentary base', 'documents');
const reference = name('name of the reference', 'house rules');

/** `vectors` needs an embedder; without one `fused` is by words. */
export const RANKINGS = ['words', 'vectors', 'fused'] as const;

const FIELDS = {
  summarize: { doc: text('the text to summarise', ['A long text.']) },
  translate: {
    doc: text('the text to translate', ['hello world']),
    src_lang: language('language of the text', 'en'),
    tgt_lang: language('language to translate to', 'fr'),
  },
  context_predict: { context: text('the text that holds the answer', ['Only members may enter the building.']), query },
  rag_predict: {
    db,
    query,
    sources: Type.Optional(Type.Enum(['true', 'false'], { description: 'whether to return the passages that the answer is from' })),
    ranking: Type.Optional(Type.Enum(RANKINGS, { description: 'how passages are found: by words, by vectors, or by both fused' })),
    limit: Type.Optional(Type.String({ maxLength: 2, pattern: '^([1-9]|[1-4][0-9]|50)$', description: 'passages to read, 1 to 50', examples: ['10'] })),
  },
  add_reference: { file, db, reference },
  delete_reference: { db, reference },
} satisfies Readonly<Record<string, TProperties>>;

export type FormName = keyof typeof FIELDS;

/** What a request is read with, made once for each form. */
const READERS: ReadonlyMap<string, { readonly fields: readonly string[]; readonly required: readonly string[]; readonly file?: string }> = new Map(
  Object.keys(FIELDS).map((form) => {
    const properties: TProperties = FIELDS[form as FormName];
    const { required = [] } = schemaOf(form as FormName) as { readonly required?: readonly string[] };
    return [form, { fields: Object.keys(properties).filter((field) => field !== 'file'), required, ...('file' in properties && { file: 'file' }) }];
  }),
);

export function schemaOf(form: FormName): TSchema {
  return Type.Object(FIELDS[form], { additionalProperties: false });
}

/** Reads the form of a request on a thread of the text actor. @throws Fault BAD_REQUEST that names a field that is missing or unknown */
export async function readForm(ctx: AiContext, form: FormName, { headers, body }: Request<Uint8Array | undefined>): Promise<Form> {
  const contentType = String(headers['content-type'] ?? '');
  const { required, ...fields } = READERS.get(form) as NonNullable<ReturnType<typeof READERS.get>>;
  const limits = { ...fields, maxFieldBytes: ctx.config.text_limit };
  const read = await ctx.actors.text.form(contentType, move(toOwned(body ?? new Uint8Array())), limits).catch(refuseLate);
  const missing = required.filter((field) => (field === 'file' ? !read.file : read.fields[field] === undefined));
  if (missing.length > 0)
    throw new Fault('BAD_REQUEST', { detail: `missing form field: ${missing[0]}`, errors: missing.map((field) => `missing form field: ${field}`) });
  return read;
}
