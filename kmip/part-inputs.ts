// What a client gives with the first part of a multi-part operation besides its data: later parts may repeat it, but not change it.
import { hash } from 'node:crypto';
import type { CryptographicParameters } from '../crypto/parameters.ts';

/** A short text for each input, by its name; equal exactly if the inputs are equal. */
export type PartInputs = Readonly<Record<string, string>>;

export interface GivenInputs {
  readonly parameters?: CryptographicParameters | undefined;
  readonly iv?: Uint8Array | undefined;
  readonly aad?: Uint8Array | undefined;
  /** Authentication tag, signature or MAC. */
  readonly proof?: Uint8Array | undefined;
}

const NOTHING = new Uint8Array();
const PROOF = 'the tag, signature or MAC';

/** Why a tag is refused that comes with the last part: the client would otherwise believe that its data was authenticated. @param name of the cipher */
export const tagOfNothing = (name: string): string => `${name} does not authenticate data; leave out AuthenticatedEncryptionTag`;

/** The inputs of the first part: what is not given is empty. The proof may come with the last part instead. */
export function firstInputs({ parameters = {}, iv = NOTHING, aad = NOTHING, proof }: GivenInputs): PartInputs {
  return laterInputs({ parameters, iv, aad, proof });
}

/** The inputs that a later part repeats. */
export function laterInputs({ parameters, iv, aad, proof }: GivenInputs): PartInputs {
  return {
    ...(parameters && { CryptographicParameters: textOf(parameters) }),
    ...(iv && { IVCounterNonce: digest(iv) }),
    ...(aad && { AuthenticatedEncryptionAdditionalData: digest(aad) }),
    ...(proof && { [PROOF]: digest(proof) }),
  };
}

/**
 * @param isLast the last part may bring the proof if the first had none
 * @returns why the inputs of a later part do not belong to those of the first
 */
export function changedInput(first: PartInputs, later: PartInputs, isLast: boolean): string | undefined {
  for (const [name, value] of Object.entries(later)) {
    if (name === PROOF && first[name] === undefined) {
      if (!isLast) return `${name} belongs to the first or the last part of a multi-part operation`;
    } else if (first[name] !== value) return `${name} is another one than that of the first part; repeat it or leave it out`;
  }
  return undefined;
}

function textOf(parameters: CryptographicParameters): string {
  const fields = Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(fields.map(([name, value]) => [name, value instanceof Uint8Array ? digest(value) : value]));
}

const digest = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url');
