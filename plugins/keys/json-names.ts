// Chooses the spelling of names in JSON answers: the request's choice, else the configured one.
import type { JsonNames } from '../../actors/kmip/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import type { KeysConfig } from './config.ts';

/** The usual spelling; Node gives names of headers in lower case. */
export const JSON_NAMES_HEADER = 'X-Json-Names';
const HEADER = JSON_NAMES_HEADER.toLowerCase();

/** @throws Fault BAD_REQUEST for an unknown spelling */
export function jsonNames({ json_names: setting }: KeysConfig, { headers }: Request): JsonNames {
  const asked = headers[HEADER];
  if (asked === undefined) return setting;
  const word = String(asked).trim().toLowerCase();
  if (word === 'profile' || word === 'compact') return word;
  throw new Fault('BAD_REQUEST', { detail: `${JSON_NAMES_HEADER}: must be profile or compact` });
}
