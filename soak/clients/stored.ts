// Clients whose writes take longer, and must last: passwords, documents of a base, keys on the token of an HSM.
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { bytes, dateTime, enumeration, integer, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { docx, form } from '../../test/plugins/ai/files.ts';
import { CBC, jsonKmip, named } from '../kmip.ts';
import { anyVoice, type Client } from './client.ts';
import { bodyOf, type Turn } from './round-trips.ts';
import { REALM } from './sessions.ts';

/** A user is made, changes the password, and signs in with the new one only. */
export const password: Turn = async (client, keep) => {
  const username = `${client.name}-${client.random.below(1e9)}`;
  const [old, fresh] = [`${username} old`, `${username} new`];
  const body = { username, password_input: { plaintext: old } };
  const made = await anyVoice(client).caller.ask('user', 'POST', `/realms/${REALM}/userpass`, { cookie: client.root, body });
  if (bodyOf(client, 'a new user', made) === undefined) return;
  const signIn = (voice: ReturnType<typeof anyVoice>, secret: string, more?: object) =>
    voice.caller.ask('sign-in, password', 'POST', `/login?realm=${REALM}`, { user: `${username}:${secret}`, ...(more && { body: more }) });
  const changed = await signIn(anyVoice(client), old, { new_password: fresh });
  if (!changed) return;
  if (changed.status !== 200) return client.tally.wrong('no answer is wrong', `a new password was answered with ${changed.status} ${changed.text}`);
  const refused = await signIn(anyVoice(client), old);
  if (refused && refused.status !== 401) client.tally.wrong('histories are linearizable', `the old password was answered with ${refused.status}`);
  keep({
    what: `user ${username}`,
    look: async (voice) => {
      const answer = await signIn(voice, fresh);
      return answer?.status === 200 ? undefined : `the sign-in was answered with ${answer ? `${answer.status} ${answer.text}` : 'nothing'}`;
    },
  });
};

const BASE = 'documents';

/** Documents of different clients have different words, by which they are found. */
export const reference: Turn = async (client, keep) => {
  const name = `${client.name}-${client.random.below(1e9)}`;
  const words = `quay ${name.replaceAll(/[^a-z0-9]/g, '')}`;
  const file = { name: `${name}.docx`, bytes: await docx([`# ${words}`, `The keeper of the ${words} sleeps at noon.`]) };
  const added = await anyVoice(client).caller.ask('document', 'POST', '/add_reference', await form({ db: BASE, reference: name }, file));
  if (bodyOf(client, 'a document', added) === undefined) return;
  const list = async (voice: ReturnType<typeof anyVoice>) => {
    const answer = await voice.caller.ask('list of documents', 'GET', '/documentary_bases');
    if (answer?.status !== 200) return answer && `the list was answered with ${answer.status} ${answer.text}`;
    return (answer.body.documentary_bases[BASE] as readonly string[]).includes(name);
  };
  if (client.random.next() < 0.7) {
    const removed = await anyVoice(client).caller.ask('end of a document', 'DELETE', '/delete_reference', await form({ db: BASE, reference: name }));
    if (bodyOf(client, 'the end of a document', removed) === undefined) return;
    keep({
      what: `the end of document ${name}`,
      look: async (voice) => ((await list(voice)) === false ? undefined : 'it is listed, or the list was not answered'),
    });
    return;
  }
  keep({ what: `document ${name}`, look: async (voice) => ((await list(voice)) === true ? undefined : 'it is not listed, or the list was not answered') });
};

/** @param prefix of the identifiers of keys on the token. Only the first node has the HSM. */
export const hsmRoundTrip =
  (prefix: string): Turn =>
  async (client, keep) => {
    const kmip = jsonKmip((client.voices[0] as Client['voices'][number]).caller);
    const id = `${prefix}${client.name}-${client.random.below(1e9)}`;
    const plain = Buffer.from(`${id} keeps this`);
    const attributes = [
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 256),
      integer(TAG.CryptographicUsageMask, 0x0c),
      text(TAG.UniqueIdentifier, id),
      dateTime(TAG.ActivationDate, 1),
    ];
    const made = await kmip('Create', [enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), structure(TAG.Attributes, attributes)]);
    if (!made?.ok) return isAway(client, made?.reason);
    const sealed = await kmip('Encrypt', [named(id), CBC, bytes(TAG.Data, plain)]);
    if (!sealed?.ok) return isAway(client, sealed?.reason);
    const [data, iv] = ['Data', 'IVCounterNonce'].map((tag) => Buffer.from(String(sealed.members[tag]), 'hex')) as [Buffer, Buffer];
    const open = () => kmip('Decrypt', [named(id), CBC, bytes(TAG.Data, data), bytes(TAG.IVCounterNonce, iv)]);
    const opened = await open();
    if (!opened?.ok) return isAway(client, opened?.reason);
    if (opened.members['Data'] !== plain.toString('hex').toUpperCase()) client.tally.wrong('no answer goes to another caller', `${id} opened something else`);
    if (client.random.next() < 0.9) {
      const gone = await kmip('Destroy', [named(id)]);
      return gone?.ok ? undefined : isAway(client, gone?.reason);
    }
    keep({
      what: id,
      look: async () => {
        const again = await open();
        return again?.ok && again.members['Data'] === plain.toString('hex').toUpperCase() ? undefined : `it cannot decrypt: ${again?.reason ?? 'no answer'}`;
      },
    });
  };

/** While a token does not answer, its keys are refused, and what has happened to them is not known. */
function isAway({ tally }: Client, reason: string | undefined): void {
  if (reason !== undefined && !/not accessible|does not answer|CKR_|UNAVAILABLE/.test(reason))
    tally.wrong('no answer is wrong', `a key of the HSM was refused: ${reason}`);
}
