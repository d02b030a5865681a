// What the OpenAPI document says of the bodies of the anonymization endpoints; the actor checks them by itself.
import Type, { type TSchema } from 'typebox';
import type { TokenizeMethod } from '../../actors/tokenize/api.ts';

const closed = { additionalProperties: false } as const;
const words = Type.Object({ data: Type.String(), words: Type.Array(Type.String()) }, closed);
const numberType = Type.Enum(['float', 'integer']);
const text = Type.String();
const number = Type.Number();

interface About {
  readonly summary: string;
  readonly body: TSchema;
  readonly result: TSchema;
}

export const ABOUT: Readonly<Record<TokenizeMethod, About>> = {
  hash: {
    summary: 'Hash a text',
    body: Type.Object({ data: text, method: Type.Enum(['SHA2', 'SHA3', 'Argon2']), salt: Type.Optional(Type.String({ format: 'byte' })) }, closed),
    result: text,
  },
  noise: {
    summary: 'Add noise to a number or a date',
    body: Type.Object(
      {
        data: Type.Union([number, text]),
        data_type: Type.Enum(['float', 'integer', 'date']),
        method: Type.Enum(['Gaussian', 'Laplace', 'Uniform']),
        mean: Type.Optional(number),
        std_dev: Type.Optional(number),
        min_bound: Type.Optional(number),
        max_bound: Type.Optional(number),
      },
      closed,
    ),
    result: Type.Union([number, text]),
  },
  'word-mask': { summary: 'Replace words by XXXX', body: words, result: text },
  'word-tokenize': { summary: 'Replace words by random tokens', body: words, result: text },
  'word-pattern-mask': {
    summary: 'Replace what matches a pattern',
    body: Type.Object({ data: text, pattern: Type.String({ maxLength: 1_024 }), replace: text }, closed),
    result: text,
  },
  'aggregate-number': {
    summary: 'Round a number to a power of ten',
    body: Type.Object({ data: number, data_type: numberType, power_of_ten: Type.Integer({ minimum: -308, maximum: 308 }) }, closed),
    result: text,
  },
  'aggregate-date': {
    summary: 'Cut a date off below a unit of time',
    body: Type.Object({ data: text, time_unit: Type.Enum(['Second', 'Minute', 'Hour', 'Day', 'Month', 'Year']) }, closed),
    result: text,
  },
  'scale-number': {
    summary: 'Scale a number around a mean',
    body: Type.Object({ data: number, data_type: numberType, mean: number, std_deviation: number, scale: number, translate: number }, closed),
    result: number,
  },
};
