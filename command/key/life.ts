// `gatehouse key create | rotate | recover | revoke | destroy | tag | untag`: the life of a key.
import { date, enumeration, integer, structure, text } from '../../client/kmip.ts';
import { command, flag } from '../command.ts';
import { confirmed, YES, type Yes } from '../confirmed.ts';
import { CommandError, EXIT } from '../exit.ts';
import { whole } from '../number.ts';
import { attributesOf } from './attributes.ts';
import { identifierOf, nameAttribute, tagAttribute } from './identifier.ts';
import { creation, KINDS } from './kind.ts';

export const KEY = ['<key>', 'identifier or name of the key'] as const;

interface Creation {
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly id?: string;
  readonly activate?: string;
  readonly rotateEvery?: string;
}

export const create = command<Creation>({
  name: 'create',
  about: 'Create a key, or a pair of keys; prints its identifier',
  args: [['<kind>', KINDS.join(', ')]],
  flags: [
    flag('--name <name>', 'name, unique among your keys'),
    flag('--tag <tag...>', 'tag; repeatable'),
    flag('--id <id>', 'identifier, for a key on an HSM: hsm::soft_hsm::0::signing'),
    flag('--activate <time>', 'when the key becomes active: ISO 8601, or never (default: now)'),
    flag('--rotate-every <seconds>', 'let the server rotate the key'),
  ],
  example: 'gatehouse key create aes-256 --name invoices --tag team-a',
  async run(given, [kind], { name, tag = [], id, activate, rotateEvery }) {
    if (!KINDS.includes(kind)) throw new CommandError(`${kind}: the kinds are ${KINDS.join(', ')}`, EXIT.usage);
    const interval = whole('--rotate-every', rotateEvery, 1);
    const common = [
      ...(name === undefined ? [] : [nameAttribute(name)]),
      ...(activate === 'never' ? [] : [date('ActivationDate', timeOf(activate))]),
      ...(interval === undefined ? [] : [integer('RotateInterval', interval)]),
    ];
    // With the key or not at all: of one that is made first, a refused tag would leave a key that nobody has the identifier of.
    const own = [...(id === undefined ? [] : [text('UniqueIdentifier', id)]), ...(tag.length === 0 ? [] : [tagAttribute(tag)])];
    const { operation, members } = creation(kind, common, own);
    const answer = await given.client().kmip(operation, members);
    const made = String(answer['UniqueIdentifier'] ?? answer['PrivateKeyUniqueIdentifier']);
    const pub = answer['PublicKeyUniqueIdentifier'];
    if (given.out.isJson) given.out.record({ id: made, ...(pub === undefined ? {} : { public: pub }) });
    else given.out.line(made);
  },
});

/** An activation of this moment may lie in the future of the server's clock by a second. */
function timeOf(text: string | undefined): Date {
  if (text === undefined) return new Date(Date.now() - 1_000);
  const time = new Date(text);
  // Date reads 5 as a month of 2001, and February 30 as a day of March.
  const day = TIME.exec(text)?.[1];
  if (day === undefined || Number.isNaN(time.getTime()) || new Date(day).getUTCDate() !== Number(day.slice(-2)))
    throw new CommandError(`${text}: a time has the form 2026-01-31T12:00:00Z`, EXIT.usage);
  return time;
}

/** A day, or a time of the day in it, of which the seconds and the zone may be missing. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

export const rotate = command({
  name: 'rotate',
  about: 'Replace a key by a new one; the old one still decrypts. Prints the identifier of the new key',
  args: [KEY],
  example: 'gatehouse key rotate invoices',
  async run(given, [word]) {
    const id = await identifierOf(given.client(), word);
    const { ObjectType } = await attributesOf(given.client(), id);
    const isPair = ObjectType === 'PrivateKey' || ObjectType === 'PublicKey';
    const answer = isPair
      ? await given.client().kmip('ReKeyKeyPair', [text('PrivateKeyUniqueIdentifier', id)])
      : await given.client().kmip('ReKey', [text('UniqueIdentifier', id)]);
    given.out.line(String(answer['UniqueIdentifier'] ?? answer['PrivateKeyUniqueIdentifier']));
  },
});

export const recover = command({
  name: 'recover',
  about: 'Take a key out of the archive, where it cannot be used or changed',
  args: [KEY],
  example: 'gatehouse key recover invoices',
  async run(given, [word]) {
    const id = await identifierOf(given.client(), word);
    await given.client().kmip('Recover', [text('UniqueIdentifier', id)]);
    given.out.done(`Recovered ${id}`, { id });
  },
});

interface Revocation extends Yes {
  readonly compromised?: boolean;
  readonly reason?: string;
}

export const revoke = command<Revocation>({
  name: 'revoke',
  about: 'Revoke a key: it does not encrypt or sign any more',
  args: [KEY],
  flags: [flag('--compromised', 'somebody else may have the key: it is used for nothing any more'), flag('--reason <text>', 'why, for its attributes'), YES],
  example: 'gatehouse key revoke invoices --reason "replaced by the new system" --yes',
  async run(given, [word], { compromised, reason = 'by its owner', yes }) {
    await confirmed(given, { ...(yes && { yes }) }, `revokes the key ${word}: nothing can be encrypted or signed with it any more`, word);
    const id = await identifierOf(given.client(), word);
    const code = enumeration('RevocationReasonCode', compromised ? 'KeyCompromise' : 'CessationOfOperation');
    const why = structure('RevocationReason', code, text('RevocationMessage', reason));
    const since = compromised ? [date('CompromiseOccurrenceDate', new Date(Date.now() - 1_000))] : [];
    await given.client().kmip('Revoke', [text('UniqueIdentifier', id), why, ...since]);
    given.out.done(`Revoked ${id}`, { id });
  },
});

export const destroy = command<Yes>({
  name: 'destroy',
  about: 'Revoke and destroy a key: what it has encrypted is lost',
  args: [KEY],
  flags: [YES],
  example: 'gatehouse key destroy invoices',
  async run(given, [word], yes) {
    await confirmed(given, yes, `destroys the key ${word}: what it has encrypted cannot be decrypted any more`, word);
    const kid = await identifierOf(given.client(), word);
    await given.client().call('DELETE /v1/crypto/keys/{kid}', { params: { kid } });
    given.out.done(`Destroyed ${kid}`, { id: kid });
  },
});

const TAGS = ['<tags...>', 'tags'] as const;

export const tag = command({
  name: 'tag',
  about: 'Add tags to a key',
  args: [KEY, TAGS],
  example: 'gatehouse key tag invoices team-a 2026',
  async run(given, [word, ...tags]) {
    const kid = await identifierOf(given.client(), word);
    const { tags: all } = await given.client().call('POST /v1/crypto/keys/{kid}/tags', { params: { kid }, body: { tags } });
    given.out.record({ id: kid, tags: all });
  },
});

export const untag = command({
  name: 'untag',
  about: 'Remove tags from a key',
  args: [KEY, TAGS],
  example: 'gatehouse key untag invoices 2026',
  async run(given, [word, ...tags]) {
    const kid = await identifierOf(given.client(), word);
    const { tags: all } = await given.client().call('DELETE /v1/crypto/keys/{kid}/tags', { params: { kid }, body: { tags } });
    given.out.record({ id: kid, tags: all });
  },
});
