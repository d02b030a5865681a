// What a hub says of a model: its commit and its files, of which those are chosen that an engine needs.
import type { Precision } from '../api.ts';
import { ALONE, GENERATING, SUFFIXES } from '../weight-names.ts';
import { isFileName, listingAddress } from './address.ts';
import { HubError } from './hub-error.ts';
import { ask, type Hub, refuseStatus } from './request.ts';

export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** Known to the hub of large files only. */
  readonly sha256?: string;
}

export interface Listing {
  /** The commit that the revision means now. All files are asked for at this commit. */
  readonly commit: string;
  readonly files: readonly HubFile[];
}

const MAX_LISTING_BYTES = 4_194_304;
const COMMIT = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;

interface Told {
  readonly sha?: unknown;
  readonly siblings?: readonly (ToldFile | null)[];
}

interface ToldFile {
  readonly rfilename?: unknown;
  readonly size?: unknown;
  readonly lfs?: { readonly sha256?: unknown } | null;
}

/** @throws HubError */
export async function listingOf(hub: Hub, id: string, revision: string): Promise<Listing> {
  const text = await listed(hub, id, revision).catch((error: unknown) => {
    if (error instanceof HubError) throw error;
    throw new HubError(
      `${new URL(hub.url).host} cannot be asked for its files of ${id} (${(error as Error).message}): check [ai] model_hub and the network`,
      error,
    );
  });
  const { sha, siblings } = parse(text);
  if (typeof sha !== 'string' || !COMMIT.test(sha) || !Array.isArray(siblings))
    throw new HubError('the hub does not answer as a model hub does; check [ai] model_hub');
  return { commit: sha, files: siblings.flatMap(fileOf) };
}

async function listed(hub: Hub, id: string, revision: string): Promise<string> {
  const { status, body } = await ask(hub, listingAddress(hub.url, id, revision), { accept: 'application/json' });
  if (status !== 200) refuseStatus(hub, `model ${id} at revision ${revision}`, status);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > MAX_LISTING_BYTES) throw new HubError(`the list of files of ${id} is larger than ${MAX_LISTING_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** A file whose name could leave the folder is not even listed. */
function fileOf(told: ToldFile | null): readonly HubFile[] {
  const { rfilename: path, size, lfs } = told ?? {};
  if (typeof path !== 'string' || !isFileName(path)) return [];
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw new HubError(`the hub does not tell the size of ${path}`);
  const sha256 = lfs?.sha256;
  return [{ path, bytes: size, ...(typeof sha256 === 'string' && SHA256.test(sha256) && { sha256 }) }];
}

function parse(text: string): Told {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Told) : {};
  } catch {
    return {};
  }
}

const AUTO = ['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16'] as const;
const BESIDE =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|vocab|added_tokens)\.json$|^(vocab|merges)\.txt$|^chat_template\.(jinja|json)$|^[\w.-]+\.(model|spm)$|^(modules|sentence_bert_config|config_sentence_transformers)\.json$|^\d_Pooling\/config\.json$/;

export const PRECISIONS: readonly Precision[] = ['auto', ...(Object.keys(SUFFIXES) as Exclude<Precision, 'auto'>[])];

const hasEncoder = (paths: ReadonlySet<string>) => [...paths].some((path) => path.startsWith('onnx/encoder_model'));

/** @returns the files that an engine needs for these weights @throws HubError that tells which weights there are */
export function chosenFiles({ files }: Listing, precision: Precision): readonly HubFile[] {
  const paths = new Set(files.map(({ path }) => path));
  const candidates = precision === 'auto' ? AUTO : [precision];
  const graphs = candidates
    .flatMap((each) => GENERATING.map((names) => names.map((name) => `onnx/${name}${SUFFIXES[each]}.onnx`)))
    .find((names) => names.every((name) => paths.has(name)) && !(names.length === 1 && names[0]?.includes(ALONE) && hasEncoder(paths)));
  if (!graphs) {
    const there = [...paths].filter((path) => path.endsWith('.onnx'));
    throw new HubError(`the model has no weights of precision ${precision} in ONNX form; it has ${there.length === 0 ? 'none at all' : there.join(', ')}`);
  }
  if (!paths.has('config.json') || !paths.has('tokenizer.json')) throw new HubError('the model has no config.json or no tokenizer.json');
  return files.filter(({ path }) => BESIDE.test(path) || graphs.some((graph) => path === graph || path.startsWith(`${graph}_data`)));
}
