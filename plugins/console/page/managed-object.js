// A key as the console shows it: the attributes of a managed object under names for people.
import { ask } from './api.js';
import { folded } from './folded.js';
import { identifier, memberOf, membersOf, operate, operateOnAll, structure, text } from './kmip.js';

/** Bits of CryptographicUsageMask (KMIP 2.1 section 11.14) in the order in which they are shown. */
const USAGES = /** @type {const} */ ([
  ['encrypt', 0x4],
  ['decrypt', 0x8],
  ['sign', 0x1],
  ['verify', 0x2],
  ['wrap keys', 0x10],
  ['unwrap keys', 0x20],
  ['make MACs', 0x80],
  ['verify MACs', 0x100],
  ['derive keys', 0x200],
  ['agree on keys', 0x800],
  ['sign certificates', 0x1000],
  ['export', 0x40],
]);

const TYPES = /** @type {Readonly<Record<string, string>>} */ ({
  SymmetricKey: 'Secret key',
  PrivateKey: 'Private key',
  PublicKey: 'Public key',
  Certificate: 'Certificate',
  SecretData: 'Secret data',
  OpaqueObject: 'Opaque object',
  SplitKey: 'Part of a key',
  PGPKey: 'PGP key',
});

/** State, words for it, and the look of its badge. */
export const STATES = /** @type {Readonly<Record<string, readonly [string, string]>>} */ ({
  PreActive: ['Not yet active', 'waiting'],
  Active: ['Active', 'good'],
  Deactivated: ['Deactivated', 'ended'],
  Compromised: ['Compromised', 'bad'],
  Destroyed: ['Destroyed', 'ended'],
  DestroyedCompromised: ['Destroyed, compromised', 'bad'],
});

/** @typedef {{ id: string, type: string, typeName: string, name: string, title: string, algorithm: string, bits: number, curve: string, kind: string, state: string, isArchived: boolean, tags: string[], mask: number, links: { type: string, to: string }[], place: string, dates: Readonly<Record<string, string>>, nodes: readonly import('./kmip.js').Node[] }} ManagedObject */

const DATES = [
  'InitialDate',
  'ActivationDate',
  'ProcessStartDate',
  'ProtectStopDate',
  'DeactivationDate',
  'CompromiseOccurrenceDate',
  'CompromiseDate',
  'ArchiveDate',
  'DestroyDate',
  'LastChangeDate',
  'RotateDate',
];

/** @param {string} id @param {readonly import('./kmip.js').Node[]} nodes attributes @returns {ManagedObject} */
function objectOf(id, nodes) {
  const type = memberOf(nodes, 'ObjectType') ?? '';
  const name = memberOf(memberOf(nodes, 'Name') ?? [], 'NameValue') ?? '';
  const algorithm = String(memberOf(nodes, 'CryptographicAlgorithm') ?? '');
  const bits = Number(memberOf(nodes, 'CryptographicLength') ?? 0);
  const curve = String(memberOf(memberOf(nodes, 'CryptographicDomainParameters') ?? [], 'RecommendedCurve') ?? '');
  return {
    ...{ id, type, typeName: TYPES[type] ?? type, name, title: folded(name) === '' ? id : name, algorithm, bits, curve, nodes },
    kind: kindOf(algorithm, bits, curve),
    state: memberOf(nodes, 'State') ?? '',
    // It has the date as long as it is in the archive (KMIP 2.1 section 4.5).
    isArchived: memberOf(nodes, 'ArchiveDate') !== undefined,
    tags: tagsOf(nodes),
    mask: Number(memberOf(nodes, 'CryptographicUsageMask') ?? 0),
    links: membersOf(nodes, 'Link').map((link) => ({ type: memberOf(link, 'LinkType'), to: String(memberOf(link, 'LinkedObjectIdentifier')) })),
    place: id.startsWith('hsm::') ? id.split('::').slice(1, 3).join(', slot ') : 'this server',
    dates: Object.fromEntries(DATES.flatMap((tag) => (memberOf(nodes, tag) === undefined ? [] : [[tag, String(memberOf(nodes, tag))]]))),
  };
}

/** @param {string} algorithm @param {number} bits @param {string} curve */
function kindOf(algorithm, bits, curve) {
  const family = algorithm.replace(/^ML_?/, 'ML-').replaceAll('_', '-');
  if (curve !== '' && algorithm.startsWith('EC')) return `${family} ${curve.replaceAll('_', '-')}`;
  return /^(AES|RSA|Camellia|ChaCha20|DES|3DES)/i.test(family) && bits > 0 ? `${family} ${bits}` : family;
}

/** @param {readonly import('./kmip.js').Node[]} nodes @returns {string[]} */
function tagsOf(nodes) {
  const tag = membersOf(nodes, 'Attribute').find(
    (each) => memberOf(each, 'AttributeName') === 'tag' && !['x', 'y'].includes(memberOf(each, 'VendorIdentification')),
  );
  try {
    return tag ? JSON.parse(memberOf(tag, 'AttributeValue')).map(String) : [];
  } catch {
    return [];
  }
}

/** @param {number} mask @returns {string[]} */
export const usagesOf = (mask) => USAGES.filter(([, bit]) => (mask & bit) !== 0).map(([name]) => name);

const SHORT = [
  'ObjectType',
  'Name',
  'CryptographicAlgorithm',
  'CryptographicLength',
  'CryptographicDomainParameters',
  'State',
  'ArchiveDate',
  'InitialDate',
  'CryptographicUsageMask',
].map((value) => ({ tag: 'AttributeReference', type: 'Enumeration', value }));
const TAGS = structure('AttributeReference', [text('VendorIdentification', 'gatehouse'), text('AttributeName', 'tag')]);

/** What a list shows of objects. @param {readonly string[]} ids @returns {Promise<ManagedObject[]>} those that cannot be read are missing */
export async function describeAll(ids) {
  const answers = await operateOnAll(
    'GetAttributes',
    ids.map((id) => [identifier(id), ...SHORT, TAGS]),
  );
  return answers.flatMap((answer, at) => (answer ? [objectOf(/** @type {string} */ (ids[at]), memberOf(answer, 'Attributes') ?? [])] : []));
}

/** @param {string} id */
export async function describe(id) {
  const answer = await operate('GetAttributes', [identifier(id)]);
  return objectOf(id, memberOf(answer, 'Attributes') ?? []);
}

/** @param {string} id @param {readonly string[]} operations of KMIP @returns {Promise<Readonly<Record<string, boolean>>>} which of them the caller may do */
export async function allowedOn(id, operations) {
  return (await ask('POST', '/access/check', { unique_identifier: id, operation_types: operations })).body.allowed;
}
