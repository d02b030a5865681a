// Encrypts: POST /v1/crypto/encrypt returns the parts of a JWE for one recipient (RFC 7516 section 5.1).
import { randomBytes } from 'node:crypto';
import { agree } from '../../../crypto/key/key-agreement.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import type { ContentEncryption } from '../../../jose/content-encryption.ts';
import type { KeyManagement } from '../../../jose/key-management.ts';
import { andThen } from '../../../kernel/at-once.ts';
import type { Key } from '../object/key.ts';
import { USE } from '../object/life/usage.ts';
import type { OperationContext } from '../operation-context.ts';
import { additionalText, toAuthenticatedData } from './additional-data.ts';
import { base64url } from './base64url.ts';
import { findPublicKey, findSecretKey } from './find-key.ts';
import { fitsContent, fitsKeyWrap, fitsOaep } from './fitting-key.ts';
import { agreedKey, agreementCurve, ephemeralPair, partyInformation } from './key-agreement.ts';
import { KEY_WRAP, oaepBy, wrap } from './key-wrap.ts';
import { isGiven, MAX_CHARACTERS, type Members, octets, text } from './members.ts';
import { contentEncryption, keyManagement } from './named-algorithm.ts';
import { badRequest, JoseProblem } from './problem.ts';
import { type ProtectedHeader, plainHeader, writeHeader } from './protected-header.ts';
import { type ContentKey, messageKey, type Sealed, seal } from './sealing.ts';
import { AGREE, ENCRYPT_KEY, takeKey, WRAP } from './use.ts';

interface Call {
  readonly kid: string;
  readonly alg: KeyManagement;
  readonly enc: ContentEncryption;
  readonly data: Uint8Array;
}

/** The content encryption key, with all that the recipient needs in order to obtain it. */
interface Prepared {
  readonly header: ProtectedHeader;
  readonly key: ContentKey;
  readonly encryptedKey: string;
}

/** @returns the JWE, starting with its protected header @throws Problem, Refusal */
export function encrypt(body: Members, ctx: OperationContext): unknown {
  const kid = text(body, 'kid');
  const alg = keyManagement(text(body, 'alg'), 'body');
  const enc = contentEncryption(text(body, 'enc'), 'body');
  const data = octets(body, 'data');
  const aad = additionalText(body);
  requireParties(body, alg);
  const prepared = prepare(ctx, body, { kid, alg, enc, data });
  return prepared instanceof Promise ? prepared.then((each) => sealWith(each, enc, aad, data)) : sealWith(prepared, enc, aad, data);
}

/** They go into the derivation of a key that two parties agree on. With other algorithms nothing would bind the message to them. */
function requireParties(body: Members, { mode }: KeyManagement): void {
  const given = ['apu', 'apv'].find((name) => isGiven(body, name));
  if (given !== undefined && mode !== 'agreement') throw badRequest(`${given} goes with ECDH-ES only`);
}

function sealWith(prepared: Prepared, enc: ContentEncryption, aad: string | undefined, data: Uint8Array): unknown {
  const sealed = seal(enc, prepared.key, toAuthenticatedData(prepared.header, aad), data);
  return sealed instanceof Promise ? sealed.then((each) => toJwe(prepared, aad, each)) : toJwe(prepared, aad, sealed);
}

function toJwe({ header, encryptedKey }: Prepared, aad: string | undefined, { iv, ciphertext, tag }: Sealed): unknown {
  const jwe = { protected: header.encoded, encrypted_key: encryptedKey, iv: base64url(iv), ciphertext: base64url(ciphertext), tag: base64url(tag) };
  return aad === undefined ? jwe : { ...jwe, aad };
}

function prepare(ctx: OperationContext, body: Members, call: Call): Prepared | Promise<Prepared> {
  switch (call.alg.mode) {
    case 'direct':
      return direct(ctx, call);
    case 'oaep':
      return oaep(ctx, call, call.alg.hash);
    case 'wrap':
      return encryptWrapped(ctx, call, call.alg.wrapLength);
    case 'agreement':
      return encryptAgreed(ctx, body, call, call.alg.wrapLength);
  }
}

function direct(ctx: OperationContext, { kid, alg, enc, data }: Call): Prepared | Promise<Prepared> {
  return andThen(findSecretKey(ctx, kid, 'Encrypt', 'private'), (object) =>
    andThen(takeKey(ctx, object, USE.Encrypt, data.length, fitsContent(enc)), (key) => {
      return { header: plainHeader(object, alg.name, enc.name), key, encryptedKey: '' };
    }),
  );
}

async function encryptWrapped(ctx: OperationContext, { kid, alg, enc, data }: Call, length: number): Promise<Prepared> {
  const object = await findSecretKey(ctx, kid, 'Encrypt', 'private');
  const wrapping = await takeKey(ctx, object, WRAP, data.length, fitsKeyWrap(length));
  return encryptCarried(plainHeader(object, alg.name, enc.name), enc, wrapping, KEY_WRAP);
}

async function oaep(ctx: OperationContext, { kid, alg, enc, data }: Call, hash: Parameters<typeof oaepBy>[0]): Promise<Prepared> {
  const object = await findPublicKey(ctx, kid, 'Encrypt');
  const recipient = await takeKey(ctx, object, ENCRYPT_KEY, data.length, fitsOaep(alg, ctx));
  return encryptCarried(plainHeader(object, alg.name, enc.name), enc, recipient, oaepBy(hash));
}

const noSecret = () => new JoseProblem('crypto_failure', 'nobody can agree on a key with this public key: it has a small order');

/** Generates a new key for the content and wraps it with the recipient's key. */
async function encryptCarried(header: ProtectedHeader, enc: ContentEncryption, wrapping: Key, parameters: CryptographicParameters): Promise<Prepared> {
  const key = randomBytes(enc.keyLength);
  const { data } = await wrapping.wrap(parameters, key);
  return { header, key: messageKey(enc, key), encryptedKey: base64url(data) };
}

/** The longest `epk`, of P-521, with its name. */
const EPK_CHARACTERS = 256;

/** Before the key is used up. @param header without its `epk` @throws Problem bad_request for one that decrypt would refuse for its length */
function requireReadable(header: Members): void {
  if (writeHeader({ ...header, epk: ' '.repeat(EPK_CHARACTERS) }).encoded.length > MAX_CHARACTERS)
    throw badRequest(`apu and apv are too long: a protected header has at most ${MAX_CHARACTERS} characters`);
}

async function encryptAgreed(ctx: OperationContext, body: Members, { kid, alg, enc, data }: Call, length: number | undefined): Promise<Prepared> {
  const parties = partyInformation(body);
  const object = await findPublicKey(ctx, kid, 'Encrypt');
  requireReadable({ alg: alg.name, enc: enc.name, kid: object.id, ...parties.encoded });
  const recipient = await takeKey(ctx, object, AGREE, data.length, agreementCurve);
  const publicKey = await recipient.publicKey();
  const { privateKey, epk } = ephemeralPair(agreementCurve(recipient));
  const header = writeHeader({ alg: alg.name, enc: enc.name, kid: object.id, epk, ...parties.encoded });
  const secret = async () => agree(privateKey, publicKey);
  const agreedFor = (algorithm: string, bytes: number) => agreedKey(secret, { algorithm, length: bytes, ...parties }, noSecret);
  if (length === undefined) return { header, key: messageKey(enc, await agreedFor(enc.name, enc.keyLength)), encryptedKey: '' };
  const key = randomBytes(enc.keyLength);
  return { header, key: messageKey(enc, key), encryptedKey: base64url(wrap(await agreedFor(alg.name, length), key)) };
}
