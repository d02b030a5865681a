// Multi-part operations with stored key material: the stream actor gets a copy with the first part and keeps the state between the parts.
import { firstInputs, laterInputs, type PartInputs } from '../../../../kmip/part-inputs.ts';
import { required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { StreamOwner } from '../../../stream/api.ts';
import type { KeyContext, KeyPart, PartOutput } from '../key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { ivFor, secretCipher } from './ciphers.ts';
import { pairKeyOf, publicKeyOf, secretOf } from './material.ts';

const NOTHING = new Uint8Array();

/** @throws Refusal as `Streams` */
export async function sendPart(object: ManagedObject, ctx: KeyContext, part: KeyPart): Promise<PartOutput> {
  const { streams } = ctx.server;
  const { kind, is, data = NOTHING, proof } = part;
  const owner = (inputs: PartInputs): StreamOwner => ({ kind, user: ctx.caller.user, object: object.id, inputs });
  const later = () => owner(laterInputs({ ...part.repeats, proof }));
  if (is === 'next') return streams.update(later(), required(part.value, TAG.CorrelationValue), data);
  if (is === 'last') return streams.finish(later(), required(part.value, TAG.CorrelationValue), data, proof);
  const { algorithm, parameters, iv, aad, tagInData } = part.start();
  const key = BYTES[kind](object);
  const made = kind === 'Encrypt' && iv === undefined ? ivFor(secretCipher(object.id, secretOf(object), algorithm, parameters), parameters) : undefined;
  try {
    const given = { parameters, iv: iv ?? made, aad, proof };
    const output = await streams.begin({ ...owner(firstInputs(given)), ...given, algorithm, key, tagInData }, data);
    return made === undefined ? output : { ...output, iv: made };
  } finally {
    key.fill(0);
  }
}

const secretBytes = (object: ManagedObject): Uint8Array => secretOf(object).export();

/** The key in the form that the stream actor accepts. */
const BYTES: Readonly<Record<KeyPart['kind'], (object: ManagedObject) => Uint8Array>> = {
  Encrypt: secretBytes,
  Decrypt: secretBytes,
  MAC: secretBytes,
  MACVerify: secretBytes,
  Sign: (object) => pairKeyOf(object).export({ format: 'der', type: 'pkcs8' }),
  SignatureVerify: (object) => publicKeyOf(object).export({ format: 'der', type: 'spki' }),
};
