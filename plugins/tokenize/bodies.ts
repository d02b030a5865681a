// What the OpenAPI document says of the bodies of the anonymization endpoints; the actor checks them by itself.
import Type, { type TSchema } from 'typebox';
import type { TokenizeMethod } from '../../actors/tokenize/api.ts';

const closed = { additionalProperties: false } as const;
/** The largest `[tokenize] body_limit`; the actor holds what is less. */
const MAX_TEXT = 16_777_216;
const text = Type.String({ maxLength: MAX_TEXT });
const words = Type.Object({ data: text, words: Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 10_000 }) }, closed);
const numberType = Type.Enum(['float', 'integer']);
const number = Type.Number();
/** A date and time of RFC 3339. */
const instant = Type.String({ maxLength: 1_024 });

const MET = { 'a name': { data: 'Ada met ADA', words: ['ada'] } };

interface About {
  readonly summary: string;
  readonly body: TSchema;
  /** Bodies that are served, under names. */
  readonly examples: Readonly<Record<string, object>>;
  readonly result: TSchema;
}

export const ABOUT: Readonly<Record<TokenizeMethod, About>> = {
  hash: {
    summary: 'Hash a text',
    body: Type.Object(
      { data: text, method: Type.Enum(['SHA2', 'SHA3', 'Argon2']), salt: Type.Optional(Type.String({ maxLength: 65_536, format: 'byte' })) },
      closed,
    ),
    examples: { 'with a salt': { data: 'Ada', method: 'SHA2', salt: 'c2FsdA==' }, 'without a salt': { data: 'Ada', method: 'SHA3' } },
    result: text,
  },
  noise: {
    summary: 'Add noise to a number or a date',
    body: Type.Object(
      {
        data: Type.Union([number, instant]),
        data_type: Type.Enum(['float', 'integer', 'date']),
        method: Type.Enum(['Gaussian', 'Laplace', 'Uniform']),
        mean: Type.Optional(number),
        std_dev: Type.Optional(number),
        min_bound: Type.Optional(number),
        max_bound: Type.Optional(number),
      },
      closed,
    ),
    examples: {
      'a number': { data: 40, data_type: 'integer', method: 'Laplace', mean: 0, std_dev: 2 },
      'a date': { data: '2024-05-17T13:45:12+02:00', data_type: 'date', method: 'Uniform', min_bound: -3600, max_bound: 3600 },
    },
    result: Type.Union([number, text]),
  },
  'word-mask': { summary: 'Replace words by XXXX', body: words, examples: MET, result: text },
  'word-tokenize': { summary: 'Replace words by random tokens', body: words, examples: MET, result: text },
  'word-pattern-mask': {
    summary: 'Replace what matches a pattern',
    body: Type.Object({ data: text, pattern: Type.String({ maxLength: 1_024 }), replace: text }, closed),
    examples: { 'card numbers': { data: 'Card 4000-1234', pattern: '[0-9]{4}', replace: '****' } },
    result: text,
  },
  'aggregate-number': {
    summary: 'Round a number to a power of ten',
    body: Type.Object({ data: number, data_type: numberType, power_of_ten: Type.Integer({ minimum: -308, maximum: 308 }) }, closed),
    examples: { hundreds: { data: 1234.567, data_type: 'float', power_of_ten: 2 } },
    result: text,
  },
  'aggregate-date': {
    summary: 'Cut a date off below a unit of time',
    body: Type.Object({ data: instant, time_unit: Type.Enum(['Second', 'Minute', 'Hour', 'Day', 'Month', 'Year']) }, closed),
    examples: { 'the hour': { data: '2024-05-17T13:45:12+02:00', time_unit: 'Hour' } },
    result: text,
  },
  'scale-number': {
    summary: 'Scale a number around a mean',
    body: Type.Object({ data: number, data_type: numberType, mean: number, std_deviation: number, scale: number, translate: number }, closed),
    examples: { 'a z-score': { data: 130, data_type: 'integer', mean: 100, std_deviation: 15, scale: 1, translate: 0 } },
    result: number,
  },
};
