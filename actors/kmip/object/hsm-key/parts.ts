// Operations in parts on keys of tokens: the actor of the HSM keeps the state between the parts.
import { equalMac } from '../../../../crypto/signature/mac.ts';
import { firstInputs, laterInputs, type PartInputs } from '../../../../kmip/part-inputs.ts';
import { required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type * as Hsm from '../../../hsm/api.ts';
import type { CipherChoice, Key, KeyContext, KeyPart, PartOutput, PartStart } from '../key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { ivFor } from '../software-key/ciphers.ts';
import { sendPart } from '../software-key/parts.ts';
import { ivToTell, macMechanism, owned, requireIv, withIv } from './cipher-mechanism.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { signatureFrom, signingInParts } from './signature-mechanism.ts';
import { type AesChoice, isWrap } from './token-cipher.ts';
import { failureOf } from './token-decryption.ts';
import { signingHalf } from './token-material.ts';
import { decrypting, lacksMechanism } from './token-refusal.ts';

const NOTHING = new Uint8Array();

interface KeyInParts {
  readonly object: ManagedObject;
  readonly token: KeyOnToken;
  readonly key: Key;
  /** The cipher of a secret key. */
  readonly aes: (choice: CipherChoice) => AesChoice;
}

/** @throws Refusal as `Streams` */
export async function sendTokenPart({ object, token, key, aes }: KeyInParts, ctx: KeyContext, part: KeyPart): Promise<PartOutput> {
  const { kind, is, data = NOTHING } = part;
  // Needs no secret, so it does not wait for the token.
  if (kind === 'SignatureVerify') return sendPart(object, ctx, part);
  token.requireKind(kind === 'Sign' ? 'private' : 'secret');
  const owner = (inputs: PartInputs) => ({ user: ctx.caller.user, use: `${kind} of ${object.id}`, inputs });
  const proof = part.proof && owned(part.proof);
  if (is === 'first') {
    const given = part.start();
    const { start, made } = await STARTS[kind]({ object, token, key, aes }, given);
    const { iv: chosen, ...output } = await token.beginParts(
      owner(firstInputs({ ...given, iv: given.iv ?? made, proof })),
      { ...start, ...(proof && { proof }) },
      data,
    );
    // It would wait for parts that never come.
    if (chosen && given.iv) await token.lastPart(owner({}), output.value, NOTHING, undefined);
    return { ...answer(output), iv: ivToTell(start.mechanism.name, chosen, given.iv, made) };
  }
  const value = required(part.value, TAG.CorrelationValue);
  const later = owner(laterInputs({ ...part.repeats, proof }));
  // The cipher was named with the first part: a mode with a tag is the only one that the client can have sent one for.
  const failed = failureOf({ tagBytes: proof?.length ?? 0 });
  const opening = <T>(work: Promise<T>): Promise<T> => (kind === 'Decrypt' ? decrypting(work, failed) : work);
  if (is === 'next') return answer(await opening(token.nextPart(later, value, data)));
  const last = answer(await opening(token.lastPart(later, value, data, proof)));
  if (kind === 'MACVerify') return { ...last, data: NOTHING, valid: equalMac(last.data, required(last.proof, TAG.MACData)) };
  if (kind === 'Sign') return { ...last, data: signatureFrom(last.data, await signingHalf(token, object), 'the last part') };
  return last;
}

const answer = (output: Hsm.PartOutput): PartOutput & Pick<Hsm.PartOutput, 'proof'> => ({ ok: true, valid: undefined, tag: undefined, ...output });

interface Started {
  readonly start: Hsm.PartStart;
  /** The IV, if none was given. */
  readonly made?: Uint8Array | undefined;
}

type Start = (key: KeyInParts, given: PartStart) => Started | Promise<Started>;

const STARTS: Readonly<Record<Exclude<KeyPart['kind'], 'SignatureVerify'>, Start>> = {
  Encrypt: ciphering('encrypt'),
  Decrypt: ciphering('decrypt'),
  Sign: async ({ token, object }, { parameters }) => ({ start: signingInParts(await signingHalf(token, object), parameters, token.mechanisms) }),
  MAC: authenticating,
  MACVerify: authenticating,
};

function ciphering(what: 'encrypt' | 'decrypt'): Start {
  return ({ aes }, { algorithm, parameters, iv, aad, tagInData }) => {
    const { cipher, name } = aes({ algorithm, parameters });
    if (isWrap(name)) throw lacksMechanism(`${name} in parts`);
    const made = what === 'encrypt' && iv === undefined ? ivFor(cipher, parameters) : undefined;
    const mechanism = withIv(name, { iv: requireIv(cipher, iv ?? made), aad, tagBytes: cipher.tagBytes }, parameters);
    return { start: { what, mechanism, by: 'token', tagInData }, made };
  };
}

function authenticating({ key }: KeyInParts, { parameters }: PartStart): Started {
  return { start: { what: 'sign', mechanism: macMechanism(key, parameters), by: 'token' } };
}
