// The work of one operation in parts: in a session of its own on the token, or, where a mechanism takes all at once, over what was kept until the last part.
import { createHash } from 'node:crypto';
import type pkcs11js from 'pkcs11js';
import type { TokenKeyName, TokenMechanism } from '../api.ts';
import type { PartStart } from '../part.ts';
import { decrypt, encrypt, sign } from '../token/key-use.ts';
import { MechanismMissing, toMechanism, toSealing } from '../token/mechanism.ts';
import { confirmUse, noteWanted } from '../token/pin-wanted.ts';
import type { Sessions } from '../token/sessions.ts';
import type { Token } from '../token/token.ts';
import { isWrapped, unwrapInto, type WrappedKeyName } from '../token/unwrapped-keys.ts';

/** The client sent what does not fit. */
export class InputWrong extends Error {}

export interface PartWork {
  /** Of its own, if the token holds the state. */
  readonly session?: pkcs11js.Handle | undefined;
  /** Chosen by the token. */
  readonly iv?: Uint8Array | undefined;
  /** Keeps all parts until the end. */
  readonly holds: boolean;
  /** Some output, or none before the end. @param soFar bytes of all parts, with these */
  update(token: Token, data: Uint8Array, soFar: number): Uint8Array;
  /** The rest of the output. */
  finish(token: Token, soFar: number): Uint8Array;
}

/** The most that an output is longer than its input, and the room of a signature or MAC. */
const MARGIN_BYTES = 8_192;
const NOTHING = Buffer.alloc(0);

/** @param sessions one of which is opened for it */
export function startWork(token: Token, sessions: Sessions, key: TokenKeyName, start: PartStart): PartWork {
  const { name } = start.mechanism;
  noteWanted(token, key);
  if (start.by === 'end' || token.quirks.wholeMechanisms?.includes(name)) return atEnd(key, start);
  const work = onToken(token, sessions, key, start);
  return WHOLE_BLOCKS.has(name) ? inBlocks(work) : work;
}

function onToken(token: Token, sessions: Sessions, key: TokenKeyName, { what, mechanism }: PartStart): PartWork {
  const { library } = token;
  const how = what === 'encrypt' ? toSealing(token, mechanism) : { mechanism: toMechanism(mechanism, token), chosenIv: () => undefined };
  const known = key.wrapped ? undefined : token.handle(key);
  const session = sessions.open();
  try {
    // A wrapped key lives in the session of its operation, and as long.
    const handle = known ?? unwrapInto(token, session, key as WrappedKeyName);
    if (what === 'encrypt') library.C_EncryptInit(session, how.mechanism, handle);
    else if (what === 'decrypt') library.C_DecryptInit(session, how.mechanism, handle);
    else library.C_SignInit(session, how.mechanism, handle);
    if (what !== 'encrypt') confirmUse({ pinUses: token.pinUses, session }, key);
    return { session, holds: false, iv: how.chosenIv(), ...CALLS[what](session) };
  } catch (error) {
    sessions.close(session);
    throw error;
  }
}

/** Without padding some libraries take whole blocks only, in each part. */
const WHOLE_BLOCKS: ReadonlySet<string> = new Set(['CKM_AES_CBC', 'CKM_AES_ECB']);
const BLOCK_BYTES = 16;

function inBlocks({ session, update, finish }: PartWork): PartWork {
  let rest: Uint8Array = NOTHING;
  return {
    session,
    holds: false,
    update(token, data, soFar) {
      const all = Buffer.concat([rest, data]);
      const end = all.length - (all.length % BLOCK_BYTES);
      rest = all.subarray(end);
      return end === 0 ? NOTHING : update(token, all.subarray(0, end), soFar);
    },
    finish(token, soFar) {
      if (rest.length > 0) throw new InputWrong(`the data end within a block: without padding they must be a multiple of ${BLOCK_BYTES} bytes`);
      return finish(token, soFar);
    },
  };
}

/** Some tokens keep what they got until the end, because the tag is there: so an output may be as long as all input. */
const room = (bytes: number): Buffer => Buffer.alloc(bytes + MARGIN_BYTES);

const CALLS: Readonly<Record<PartStart['what'], (session: pkcs11js.Handle) => Pick<PartWork, 'update' | 'finish'>>> = {
  encrypt: (session) => ({
    update: ({ library, quirks }, data) => inPieces(quirks.maxDataBytes, data, (piece) => library.C_EncryptUpdate(session, piece, room(piece.length))),
    finish: ({ library }) => library.C_EncryptFinal(session, room(0)),
  }),
  decrypt: (session) => ({
    update: ({ library, quirks }, data, soFar) => inPieces(quirks.maxDataBytes, data, (piece) => library.C_DecryptUpdate(session, piece, room(soFar))),
    finish: ({ library }, soFar) => library.C_DecryptFinal(session, room(soFar)),
  }),
  sign: (session) => ({
    update: ({ library, quirks }, data) =>
      inPieces(quirks.maxDataBytes, data, (piece) => {
        library.C_SignUpdate(session, piece);
        return NOTHING;
      }),
    finish: ({ library }) => library.C_SignFinal(session, room(0)),
  }),
};

function inPieces(maxBytes = Number.POSITIVE_INFINITY, data: Uint8Array, update: (piece: Buffer) => Buffer): Uint8Array {
  const done: Buffer[] = [];
  for (let at = 0; at < data.length; at += maxBytes) done.push(update(Buffer.from(data.subarray(at, at + maxBytes))));
  return done.length === 1 ? (done[0] as Buffer) : Buffer.concat(done);
}

/** Works on the digest of the parts, or on all of them in one call. */
function atEnd(key: TokenKeyName, { what, mechanism, digest }: PartStart): PartWork {
  if (digest === undefined) {
    const parts: Uint8Array[] = [];
    return {
      holds: true,
      update: (_, data) => {
        parts.push(data);
        return NOTHING;
      },
      finish: (token) => withKey(token, key, (holding) => WHOLE[what](holding, key, mechanism, Buffer.concat(parts))),
    };
  }
  const hash = createHash(digest.name);
  return {
    holds: false,
    update: (_, data) => {
      hash.update(data);
      return NOTHING;
    },
    finish: (token) => {
      const data = Buffer.concat([digest.head, hash.digest().subarray(0, digest.maxBytes)]);
      return withKey(token, key, (holding) => sign(holding, key, mechanism, data));
    },
  };
}

/** A wrapped key is there for this call only. */
function withKey<T>(token: Token, key: TokenKeyName, work: (token: Token) => T): T {
  if (!isWrapped(key)) return work(token);
  const handle = unwrapInto(token, token.session, key);
  try {
    return work(token.holding(key, handle));
  } finally {
    token.library.C_DestroyObject(token.session, handle);
  }
}

const WHOLE = { encrypt: encryptWhole, decrypt, sign } as const;

/** The IV had to be told with the first part. @throws MechanismMissing */
function encryptWhole(token: Token, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Uint8Array {
  const { data: sealed, iv } = encrypt(token, key, mechanism, data);
  if (iv) throw new MechanismMissing(`${mechanism.name} in parts, as the token chooses the IV at the end`);
  return sealed;
}
