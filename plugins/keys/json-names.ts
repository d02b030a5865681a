// Which spelling of names an answer in JSON has: the setting's, or the one that the request asks for.
import type { JsonNames } from '../../actors/kmip/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request } from '../../kernel/http/route.ts';
import type { KeysConfig } from './config.ts';

/** As HTTP writes it and as Node has it. */
export const JSON_NAMES_HEADER = 'X-Json-Names';
const HEADER = JSON_NAMES_HEADER.toLowerCase();

/** @throws Fault BAD_REQUEST for a spelling that there is not */
export function jsonNames({ json_names: setting }: KeysConfig, { headers }: Request): JsonNames {
  const asked = headers[HEADER];
  if (asked === undefined) return setting;
  const word = String(asked).trim().toLowerCase();
  if (word === 'profile' || word === 'compact') return word;
  throw new Fault('BAD_REQUEST', { detail: `${JSON_NAMES_HEADER}: profile or compact` });
}
