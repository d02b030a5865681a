// Describes the bodies of the anonymization endpoints for the OpenAPI document; the actor checks them itself.
import type { TProperties, TSchema } from 'typebox';
import type { TokenizeMethod } from '../../actors/tokenize/api.ts';
import Type from '../../kernel/type.ts';

const closed = { additionalProperties: false } as const;
/** The largest `[tokenize] body_limit`; a lower one limits the whole body. */
const MAX_TEXT = 16_777_216;
const text = Type.String({ maxLength: MAX_TEXT });
const words = Type.Object({ data: text, words: Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 10_000 }) }, closed);
const number = Type.Number();
/** The actor refuses numbers with a fraction or an exponent, even if they are whole. */
const whole = Type.Integer({ format: 'int64', description: 'a 64-bit integer, written without a fraction or an exponent' });
const instant = Type.String({ maxLength: 1_024, format: 'date-time', description: 'a date-time of RFC 3339' });
const salt = (minLength: number) =>
  Type.String({
    minLength,
    maxLength: 65_536,
    format: 'byte',
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$',
  });
/** 8 bytes, in characters of base64 with padding. */
const ARGON2_SALT = 12;
const mean = number;
const deviation = Type.Number({ exclusiveMinimum: 0 });
/** Noise is given by mean and deviation, or by bounds. If both pairs are given, mean and deviation count. */
const byMoments = { method: Type.Enum(['Gaussian', 'Laplace']), mean, std_dev: deviation, min_bound: Type.Optional(number), max_bound: Type.Optional(number) };
const byBounds = (method: readonly string[], more: TProperties) => ({ ...more, method: Type.Enum([...method]), min_bound: number, max_bound: number });
const NOISES: readonly TProperties[] = [
  byMoments,
  // Mean or deviation alone is ignored.
  byBounds(['Gaussian', 'Laplace', 'Uniform'], { mean: Type.Optional(number) }),
  byBounds(['Gaussian', 'Laplace', 'Uniform'], { std_dev: Type.Optional(number) }),
];
const TYPED: readonly TProperties[] = [
  { data: number, data_type: Type.Literal('float') },
  { data: whole, data_type: Type.Literal('integer') },
];
const either = (all: readonly TProperties[]) => Type.Union(all.map((properties) => Type.Object(properties, closed)));

const pattern = Type.String({
  maxLength: 1_024,
  description: 'a regular expression in the syntax of RE2; \\w, \\d, \\s and \\b know the letters, digits and spaces of ASCII only, \\p{L} and \\p{N} know all',
});

const MET = { 'a name': { data: 'Ada met ADA', words: ['ada'] } };

interface About {
  readonly summary: string;
  readonly body: TSchema;
  /** Valid bodies, by name. */
  readonly examples: Readonly<Record<string, object>>;
  readonly result: TSchema;
}

export const ABOUT: Readonly<Record<TokenizeMethod, About>> = {
  hash: {
    summary: 'Hash a text',
    body: either([
      { data: text, method: Type.Enum(['SHA2', 'SHA3']), salt: Type.Optional(salt(0)) },
      { data: text, method: Type.Literal('Argon2'), salt: salt(ARGON2_SALT) },
    ]),
    examples: { 'with a salt': { data: 'Ada', method: 'SHA2', salt: 'c2FsdA==' }, 'without a salt': { data: 'Ada', method: 'SHA3' } },
    result: text,
  },
  noise: {
    summary: 'Add noise to a number or a date',
    body: either([...TYPED, { data: instant, data_type: Type.Literal('date') }].flatMap((typed) => NOISES.map((noise) => ({ ...typed, ...noise })))),
    examples: {
      'a number': { data: 40, data_type: 'integer', method: 'Laplace', mean: 0, std_dev: 2 },
      'a date': { data: '2024-05-17T13:45:12+02:00', data_type: 'date', method: 'Uniform', min_bound: -3600, max_bound: 3600 },
    },
    result: Type.Union([number, text]),
  },
  'word-mask': { summary: 'Replace words with XXXX', body: words, examples: MET, result: text },
  'word-tokenize': { summary: 'Replace words with random tokens', body: words, examples: MET, result: text },
  'word-pattern-mask': {
    summary: 'Replace the matches of a pattern',
    body: Type.Object({ data: text, pattern, replace: text }, closed),
    examples: { 'card numbers': { data: 'Card 4000-1234', pattern: '[0-9]{4}', replace: '****' } },
    result: text,
  },
  'aggregate-number': {
    summary: 'Round a number to a power of ten',
    body: either(TYPED.map((typed) => ({ ...typed, power_of_ten: Type.Integer({ minimum: -308, maximum: 308 }) }))),
    examples: { hundreds: { data: 1234.567, data_type: 'float', power_of_ten: 2 } },
    result: text,
  },
  'aggregate-date': {
    summary: 'Truncate a date to a unit of time',
    body: Type.Object({ data: instant, time_unit: Type.Enum(['Second', 'Minute', 'Hour', 'Day', 'Month', 'Year']) }, closed),
    examples: { 'the hour': { data: '2024-05-17T13:45:12+02:00', time_unit: 'Hour' } },
    result: text,
  },
  'scale-number': {
    summary: 'Scale a number around a mean',
    body: either(TYPED.map((typed) => ({ ...typed, mean, std_deviation: Type.Number({ not: { const: 0 } }), scale: number, translate: number }))),
    examples: { 'a z-score': { data: 130, data_type: 'integer', mean: 100, std_deviation: 15, scale: 1, translate: 0 } },
    result: number,
  },
};
