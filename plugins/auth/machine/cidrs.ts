// The lists of addresses and networks to which roles, secret ids and tokens are bound, as bodies have them.
import type { Static } from 'typebox';
import Type from '../../../kernel/type.ts';
import { MAX_STORED_BYTES } from '../parameters.ts';

const MAX_ENTRIES = 256;
const MAX_CHARACTERS = 8_192;

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const V4 = `${OCTET}(?:\\.${OCTET}){3}(?:/(?:3[0-2]|[12]?[0-9]))?`;
const GROUP = '[0-9A-Fa-f]{1,4}';
/** By the place of `::`, of which there is one at most (RFC 4291 section 2.2). Those that end in the form of IPv4 are written as IPv4 instead. */
const V6_FORMS = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){1,7}:`,
  ...[1, 2, 3, 4, 5, 6].map((after) => `(?:${GROUP}:){1,${7 - after}}(?::${GROUP}){1,${after}}`),
  `::(?:${GROUP}(?::${GROUP}){0,6})?`,
];
const V6 = `(?:${V6_FORMS.join('|')})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?`;
const ENTRY = `(?:${V4}|${V6})`;

const Entry = Type.String({ maxLength: 64, pattern: `^${ENTRY}$`, description: 'an IP address or a network such as 10.0.0.0/8', examples: ['10.0.0.0/8'] });
const Text = Type.String({
  maxLength: MAX_CHARACTERS,
  pattern: `^(?:${ENTRY}(?: ?, ?${ENTRY})*)?$`,
  description: 'IP addresses or networks such as 10.0.0.0/8, separated by commas',
  examples: ['10.0.0.0/8, 2001:db8::/32'],
});

/** A list, or a text with commas, which Vault takes too. */
export const Cidrs = () => Type.Union([Type.Array(Entry, { maxItems: MAX_ENTRIES, 'x-max-bytes': MAX_STORED_BYTES }), Text], { default: [] });

type Given = Static<ReturnType<typeof Cidrs>>;

export function cidrsOf(given: Given = []): readonly string[] {
  return typeof given === 'string' ? given.split(',').flatMap((each) => each.trim() || []) : given;
}
