// The tables [[ai.models]] of config.toml: which language models there are, and where each runs.
import { join, resolve } from 'node:path';
import type { Static } from 'typebox';
import type { ModelSpec } from '../../actors/model/api.ts';
import { Secret } from '../../kernel/config/schema.ts';
import { isFetchable } from '../../kernel/http/outbound.ts';
import Type from '../../kernel/type.ts';

const text = (maxLength: number) => Type.String({ default: '', maxLength });

export const MODEL = Type.Object(
  {
    // It names a folder, too.
    id: Type.String({
      maxLength: 64,
      pattern: '^[a-z0-9][a-z0-9._-]*$',
      description: 'lower-case letters, digits and . _ -, with a letter or a digit in front',
    }),
    task: Type.Enum(['embedding', 'summary', 'translation', 'answer']),
    engine: Type.Enum(['onnx', 'http'], { default: 'onnx' }),
    folder: text(4_096),
    precision: Type.Enum(['auto', 'fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16'], { default: 'auto' }),
    url: text(2_048),
    model: text(256),
    api_key: Secret({ default: '' }),
    beams: Type.Integer({ default: 0, minimum: 0, maximum: 16 }),
    languages: Type.Array(Type.String({ pattern: '^([a-z]{2}-[a-z]{2}|\\*)$', description: 'a pair of languages such as en-fr, or "*"' }), {
      default: [],
      uniqueItems: true,
    }),
  },
  { additionalProperties: false },
);

export type ModelConfig = Static<typeof MODEL>;

/** @param dataDir where models lie that name no folder: `models/<id>` @param base folder of relative paths in the configuration */
export function modelSpecOf(model: ModelConfig, dataDir: string, base: string): ModelSpec {
  const { api_key: apiKey, folder, ...same } = model;
  return { ...same, apiKey, folder: folder === '' ? join(dataDir, 'models', model.id) : resolve(base, folder) };
}

/** @returns problems that the schema cannot find, each with its place in the section [ai] */
export function modelProblems(models: readonly ModelConfig[]): string[] {
  const embedder = models.findIndex(({ task }) => task === 'embedding');
  return models.flatMap((model, index) => {
    const at = `.models[${index}]`;
    return [
      ...(models.findIndex(({ id }) => id === model.id) < index ? [`${at}.id: another model has the same id; each needs its own`] : []),
      ...(model.task === 'embedding' && index > embedder ? [`${at}.task: there is another model for embedding; documentary bases use one`] : []),
      ...(model.task === 'translation' && model.languages.length === 0
        ? [`${at}.languages: a model for translation needs its pairs, such as ["en-fr"], or ["*"]`]
        : []),
      ...(model.task !== 'translation' && model.languages.length > 0 ? [`${at}.languages: only a model for translation has pairs of languages`] : []),
      ...(model.task === 'embedding' && model.beams > 0 ? [`${at}.beams: a model for embedding writes no texts`] : []),
      ...engineProblems(model, at),
    ];
  });
}

function engineProblems({ engine, url, model, folder, beams, api_key: apiKey }: ModelConfig, at: string): string[] {
  if (engine === 'onnx')
    return Object.entries({ url, model, api_key: apiKey }).flatMap(([key, value]) => (value === '' ? [] : [`${at}.${key}: only for engine "http"`]));
  return [
    ...(isFetchable(url) ? [] : [`${at}.url: must be the address of an API: https, or http on this machine`]),
    ...(model === '' ? [`${at}.model: missing; the name of the model on that server`] : []),
    ...(folder === '' ? [] : [`${at}.folder: only for engine "onnx"`]),
    ...(beams === 0 ? [] : [`${at}.beams: only for engine "onnx"`]),
  ];
}
