// How an embedding model wants to be used: what its vectors are made of, and what stands before questions and passages; from its files, or for well-known ones from their model cards.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Fault } from '../../../kernel/fault.ts';
import type { Purpose } from '../api.ts';
import { MANIFEST, revisionOf } from '../manifest.ts';
import { countIn, readJson } from './model-files.ts';

export type Pooling = 'mean' | 'cls' | 'max' | 'last';

export interface EmbeddingSettings {
  readonly pooling: Pooling;
  /** Of a window, with special tokens. */
  readonly maxTokens: number;
  readonly prompts: Readonly<Record<Purpose, string>>;
  /** Whether further layers follow that stand in no graph but one which gives `sentence_embedding`. */
  readonly hasDense: boolean;
}

/** Of models that say nothing. */
const DEFAULT_TOKENS = 512;
/** Attention takes time with the square of the length. */
const MAX_TOKENS = 8_192;
/** Their first position is behind the number of the padding. */
const SHIFTED = ['roberta', 'xlm-roberta', 'camembert', 'mpnet', 'longformer', 'xlm-roberta-xl', 'data2vec-text'];

const SEARCH = 'Represent this sentence for searching relevant passages: ';

/** What the files of these do not say, or not on every hub, by their names. */
const KNOWN: readonly (readonly [name: RegExp, pooling: Pooling, query: string, passage: string])[] = [
  [/\be5-(?:small|base|large)(?:-v2|-unsupervised)?$/, 'mean', 'query: ', 'passage: '],
  [/\bbge-(?:small|base|large)-en(?:-v1\.5)?$/, 'cls', SEARCH, ''],
  [/\bbge-(?:small|base|large)-zh(?:-v1\.5)?$/, 'cls', '为这个句子生成表示以用于检索相关文章：', ''],
  [/\bbge-m3$/, 'cls', '', ''],
  [/\bsnowflake-arctic-embed-[ml]-v2\.0$/, 'cls', 'query: ', ''],
  [/\bsnowflake-arctic-embed-/, 'cls', SEARCH, ''],
  [/\bmxbai-embed-(?:large|xsmall)-v1$/, 'cls', SEARCH, ''],
  [/\bnomic-embed-text-v1(?:\.5)?$/, 'mean', 'search_query: ', 'search_document: '],
  [/\bgte-(?:(?:base|large)-en-v1\.5|multilingual-base|modernbert-base)$/, 'cls', '', ''],
  [/\bmulti-qa-mpnet-base-(?:dot|cos)-v1$|\bmulti-qa-distilbert-dot-v1$|\bmulti-qa-mpnet-base-cls-/, 'cls', '', ''],
];

type Json = Readonly<Record<string, unknown>>;

/** As the files of sentence-transformers say. @throws Fault MODEL_FAILED for what this server cannot do */
export async function embeddingSettingsIn(folder: string): Promise<EmbeddingSettings> {
  const modules = Object.values(await readJson(folder, 'modules.json')) as ({ readonly type?: unknown; readonly path?: unknown } | null)[];
  const typed = (kind: string) => modules.find((module) => String(module?.type).endsWith(`.${kind}`));
  const path = typed('Pooling')?.path;
  const pooling = await readJson(folder, `${typeof path === 'string' && /^\d_Pooling$/.test(path) ? path : '1_Pooling'}/config.json`);
  const { prompts } = (await readJson(folder, 'config_sentence_transformers.json')) as { prompts?: Json | null };
  const prompt = (name: string) => (typeof prompts?.[name] === 'string' ? prompts[name] : undefined);
  const own = { query: prompt('query') ?? '', passage: prompt('passage') ?? prompt('document') ?? '' };
  const [, usual = 'mean', query = '', passage = ''] = (await knownBy(folder)) ?? [];
  return {
    pooling: poolingIn(pooling) ?? usual,
    prompts: own.query === '' && own.passage === '' ? { query, passage } : own,
    maxTokens: await maxTokensIn(folder),
    hasDense: typed('Dense') !== undefined,
  };
}

/** A folder may have another name than its model on the hub. */
async function knownBy(folder: string): Promise<(typeof KNOWN)[number] | undefined> {
  const [{ id }, { _name_or_path: path }] = [await readJson(folder, MANIFEST), await readJson(folder, 'config.json')] as [Json, Json];
  const names = [id, path, basename(folder)].filter((name) => typeof name === 'string').map((name) => name.toLowerCase());
  return KNOWN.find(([known]) => names.some((name) => known.test(name)));
}

async function maxTokensIn(folder: string): Promise<number> {
  const [sentence, tokens, model] = [
    await readJson(folder, 'sentence_bert_config.json'),
    await readJson(folder, 'tokenizer_config.json'),
    await readJson(folder, 'config.json'),
  ];
  const [positions, padding] = [countIn(model['max_position_embeddings']), model['pad_token_id']];
  const shift = SHIFTED.includes(String(model['model_type'])) ? (typeof padding === 'number' ? padding : 1) + 1 : 0;
  const limits = [countIn(sentence['max_seq_length']), countIn(tokens['model_max_length']), positions && positions - shift].filter(
    (each) => each !== undefined,
  );
  return limits.length === 0 ? DEFAULT_TOKENS : Math.min(...limits, MAX_TOKENS);
}

const MODES: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  mean_tokens: 'mean',
  cls: 'cls',
  cls_token: 'cls',
  max: 'max',
  max_tokens: 'max',
  lasttoken: 'last',
};
/** A vector of length 1 has the direction of the mean. */
const SAME_AS_MEAN = 'mean_sqrt_len_tokens';

function poolingIn(config: Json): Pooling | undefined {
  const flags = Object.entries(config).flatMap(([key, value]) =>
    value === true && key.startsWith('pooling_mode_') ? [key.slice('pooling_mode_'.length)] : [],
  );
  const modes = typeof config['pooling_mode'] === 'string' ? [config['pooling_mode']] : flags;
  if (modes.length === 0) return undefined;
  const pooling = modes[0] === SAME_AS_MEAN ? 'mean' : MODES[modes[0] as string];
  if (pooling && modes.length === 1) return pooling;
  throw new Fault('MODEL_FAILED', { detail: `1_Pooling/config.json: ${modes.join(', ')} is not supported; mean, cls, max and lasttoken are` });
}

/** @returns the revision of the files, and what else makes the vectors what they are: those of another use must not be compared @throws Fault MODEL_FAILED */
export async function embedderRevisionOf(folder: string): Promise<string> {
  const [revision, { pooling, prompts }] = [await revisionOf(folder), await embeddingSettingsIn(folder)];
  if (pooling === 'mean' && prompts.query === '' && prompts.passage === '') return revision;
  const use = createHash('sha256').update(JSON.stringify([pooling, prompts.query, prompts.passage]));
  return `${revision}-${use.digest('hex').slice(0, 8)}`;
}
