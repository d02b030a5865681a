// The section [tracing] of the configuration: where traces go, which of them, and under which name.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Static } from 'typebox';
import { Secret, Section } from './config/schema.ts';
import { UNREAD } from './config/secret.ts';
import { isFetchable } from './http/outbound.ts';
import Type from './type.ts';

export const TRACING = Section({
  // Empty: nothing is traced.
  endpoint: Type.String({ default: '' }),
  headers: Secret({ default: '' }),
  sample_ratio: Type.Number({ default: 1, minimum: 0, maximum: 1 }),
  service_name: Type.String({ default: 'gatehouse', minLength: 1, maxLength: 255 }),
  attributes: Type.Array(Type.String(), { default: [] }),
});

export type TracingConfig = Static<typeof TRACING>;

/** `name=value` of a list, as the variable OTEL_EXPORTER_OTLP_HEADERS has them. @throws Error that names no value */
function pairsIn(entries: readonly string[]): Readonly<Record<string, string>> {
  const pairs = entries.map((entry): [string, string] => {
    const at = entry.indexOf('=');
    if (at < 1) throw new Error('each entry must be name=value');
    return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

/** @returns the headers by name. Values are percent-encoded where they contain commas. @throws Error that names no value */
export function headersIn({ headers }: Pick<TracingConfig, 'headers'>): Readonly<Record<string, string>> {
  const pairs = Object.entries(pairsIn(headers === '' ? [] : headers.split(',')));
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const plain = decoded(value);
      validateHeaderName(name);
      // Its own error would repeat the value.
      if (!isHeaderValue(name, plain)) throw new Error(`the value of ${name} has characters that no header has`);
      return [name, plain];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isHeaderValue(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

export function attributesIn({ attributes }: Pick<TracingConfig, 'attributes'>): Readonly<Record<string, string>> {
  return pairsIn(attributes);
}

/** @returns what the operator has to mend; nothing of the headers' values */
export function tracingProblems(section: TracingConfig | undefined): string[] {
  if (section === undefined) return [];
  const problems: string[] = [];
  const { endpoint } = section;
  if (endpoint !== '' && !isFetchable(endpoint)) problems.push('tracing.endpoint: must be an address without credentials: https, or http on the same machine');
  for (const [key, read] of [
    ['headers', headersIn],
    ['attributes', attributesIn],
  ] as const)
    try {
      // What could not be read has its problem already.
      if (section[key] !== UNREAD) read(section);
    } catch (error) {
      problems.push(`tracing.${key}: ${(error as Error).message}`);
    }
  return problems;
}
