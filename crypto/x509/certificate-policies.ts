// Writes certificate policies with their qualifiers: the address of a practice statement, and user notices (RFC 5280 section 4.2.1.4).
import { CryptoError } from '../crypto-error.ts';
import { DER, element, sequence, unsigned } from '../der.ts';
import type { Section } from './certificate-extension-text.ts';
import { objectIdentifier } from './certificate-points.ts';

const PRACTICE_STATEMENT = '1.3.6.1.5.5.7.2.1';
const USER_NOTICE = '1.3.6.1.5.5.7.2.2';
const NAMED: Readonly<Record<string, string>> = { anyPolicy: '2.5.29.32.0' };
const VISIBLE = 0x1a;
/** Maximum number of characters in each text of a notice. */
const MAX_NOTICE = 200;

interface Policy {
  readonly identifier: string;
  readonly qualifiers: Buffer[];
}

const invalid = (why: string): CryptoError => new CryptoError('invalid', why);

/**
 * A value is an object identifier, `CPS:` or `CPS.1:` with an address for the policy before it, or `@section`. The section has policyIdentifier,
 * `CPS.1` and `userNotice.1 = @section`, which names a section with explicitText, organization and noticeNumbers.
 */
export function certificatePolicies(values: readonly string[], section: Section): Buffer {
  const policies: Policy[] = [];
  for (const value of values) {
    const statement = /^CPS(?:\.\d{1,3})?:(.+)$/.exec(value)?.[1];
    const last = policies.at(-1);
    if (value.startsWith('@')) policies.push(policyIn(value.slice(1), section));
    else if (statement === undefined) policies.push({ identifier: value, qualifiers: [] });
    else if (last === undefined) throw invalid('CPS: must come after the policy that it belongs to');
    else last.qualifiers.push(practice(statement));
  }
  return sequence(
    ...policies.map(({ identifier, qualifiers }) =>
      sequence(objectIdentifier(NAMED[identifier] ?? identifier), ...(qualifiers.length === 0 ? [] : [sequence(...qualifiers)])),
    ),
  );
}

function policyIn(name: string, section: Section): Policy {
  let identifier: string | undefined;
  const qualifiers: Buffer[] = [];
  for (const { key, value } of section(name)) {
    const kind = key.replace(/\.\d{1,3}$/, '');
    if (key === 'policyIdentifier') identifier = value;
    else if (kind === 'CPS') qualifiers.push(practice(value));
    else if (kind === 'userNotice' && value.startsWith('@')) qualifiers.push(notice(value.slice(1), section));
    else throw invalid(`[${name}] takes policyIdentifier, CPS.1 and userNotice.1 = @section, not ${JSON.stringify(key.slice(0, 64))}`);
  }
  if (identifier === undefined) throw invalid(`[${name}] has no policyIdentifier`);
  return { identifier, qualifiers };
}

function practice(address: string): Buffer {
  if (!/^[\x21-\x7e]{1,2048}$/.test(address)) throw invalid('the address of a CPS must have 1 to 2048 printable ASCII characters');
  return sequence(objectIdentifier(PRACTICE_STATEMENT), element(DER.ia5, Buffer.from(address)));
}

function notice(name: string, section: Section): Buffer {
  const given = new Map(section(name).map(({ key, value }) => [key, value]));
  const [explicit, organization, numbers = ''] = ['explicitText', 'organization', 'noticeNumbers'].map((key) => given.get(key));
  const isReferring = organization !== undefined && /^\d{1,9}(\s*,\s*\d{1,9}){0,31}$/.test(numbers);
  if (organization !== undefined && !isReferring) throw invalid(`in [${name}] organization needs noticeNumbers: numbers separated by commas`);
  if (explicit === undefined && !isReferring) throw invalid(`[${name}] has neither explicitText nor organization`);
  const reference = isReferring ? [sequence(display(organization), sequence(...numbers.split(',').map((number) => unsigned(BigInt(number.trim())))))] : [];
  return sequence(objectIdentifier(USER_NOTICE), sequence(...reference, ...(explicit === undefined ? [] : [display(explicit)])));
}

/** A VisibleString, as other programs write it, or UTF-8 if the text begins with `UTF8:` or has other characters. */
function display(text: string): Buffer {
  const plain = text.replace(/^UTF8:/, '');
  if (plain === '' || [...plain].length > MAX_NOTICE) throw invalid(`each text of a notice must have 1 to ${MAX_NOTICE} characters`);
  return element(plain === text && /^[\x20-\x7e]*$/.test(text) ? VISIBLE : DER.utf8, Buffer.from(plain));
}
