// The cryptographic state of one multi-part operation, from the first part to the last.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { cipherFor } from '../../crypto/cipher/cipher.ts';
import { hashStream } from '../../crypto/hash.ts';
import { keyObject } from '../../crypto/key/secret-key.ts';
import { equalMac, macAlgorithm, macStream } from '../../crypto/signature/mac.ts';
import { isForKey, schemeOf } from '../../crypto/signature/signature-scheme.ts';
import { signStream, verifyStream } from '../../crypto/signature/signature-stream.ts';
import { tagOfNothing } from '../../kmip/part-inputs.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { required } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { StreamKind, StreamOutput, StreamStart } from './api.ts';

export interface StreamWork {
  /** Keeps all parts until the end. */
  readonly holds: boolean;
  /** @returns the output of this part */
  update(data: Uint8Array): Uint8Array;
  /** Processes the last part and ends the work. */
  finish(data: Uint8Array, proof: Uint8Array | undefined): StreamOutput;
}

const NOTHING = new Uint8Array();

/** @throws Refusal for unsuitable parameters or keys, UnsupportedCryptographicParameters for algorithms that need all data at once */
export function startWork(start: StreamStart): StreamWork {
  try {
    return START[start.kind](start);
  } finally {
    start.key.fill(0);
  }
}

const START: Readonly<Record<StreamKind, (start: StreamStart) => StreamWork>> = {
  Encrypt: encryption,
  Decrypt: decryption,
  Sign: signing,
  SignatureVerify: verifying,
  MAC: authenticating,
  MACVerify: authenticating,
  Hash: hashing,
  PKCS_11: () =>
    silent(
      () => {},
      () => toOutput({}),
    ),
};

function toOutput({ data = NOTHING, tag, valid }: { data?: Uint8Array; tag?: Uint8Array; valid?: boolean }): StreamOutput {
  return { ok: true, value: NOTHING, data: new Uint8Array(data), tag: tag && new Uint8Array(tag), valid };
}

/** Work that has no output before its end. */
function silent(update: (data: Uint8Array) => void, finish: (proof: Uint8Array | undefined) => StreamOutput, holds = false): StreamWork {
  return {
    holds,
    update(data) {
      update(data);
      return NOTHING;
    },
    finish(data, proof) {
      update(data);
      return finish(proof);
    },
  };
}

function cipherOf({ algorithm, parameters, key }: StreamStart) {
  const secret = keyObject(key);
  return { secret, cipher: cipherFor(required(algorithm, TAG.CryptographicAlgorithm), parameters, key.length) };
}

function encryption(start: StreamStart): StreamWork {
  const { secret, cipher } = cipherOf(start);
  if (cipher.encryptor === undefined) throw unsupported(cipher.name);
  const running = cipher.encryptor(secret, { iv: start.iv, aad: start.aad });
  return {
    holds: false,
    update: (data) => new Uint8Array(running.update(data)),
    finish(data) {
      const head = running.update(data);
      const { data: rest, tag } = running.final();
      return toOutput({ data: Buffer.concat([head, rest]), ...(tag && { tag }) });
    },
  };
}

function decryption(start: StreamStart): StreamWork {
  const { secret, cipher } = cipherOf(start);
  if (cipher.decryptor === undefined) throw unsupported(cipher.name);
  const running = cipher.decryptor(secret, { iv: start.iv, aad: start.aad, tag: start.proof });
  const end = new End(start.tagInData ? cipher.tagBytes : 0);
  return {
    holds: false,
    update: (data) => new Uint8Array(running.update(end.before(data))),
    finish(data, proof) {
      if (proof?.length && !cipher.authenticated) throw new Refusal('InvalidField', tagOfNothing(cipher.name));
      const head = running.update(end.before(data));
      return toOutput({ data: Buffer.concat([head, running.final(start.tagInData ? end.bytes : proof).data]) });
    },
  };
}

/** Keeps the last bytes of all data back. */
class End {
  bytes: Uint8Array = NOTHING;
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  /** @returns the bytes of what was kept and these that are not among the last ones */
  before(data: Uint8Array): Uint8Array {
    if (this.#length === 0) return data;
    const all = Buffer.concat([this.bytes, data]);
    const at = Math.max(0, all.length - this.#length);
    this.bytes = all.subarray(at);
    return all.subarray(0, at);
  }
}

function signing({ key, parameters }: StreamStart): StreamWork {
  const object = createPrivateKey({ key: Buffer.from(key.buffer, key.byteOffset, key.length), format: 'der', type: 'pkcs8' });
  const running = signStream(object, parameters);
  return silent(
    (data) => running.update(data),
    () => toOutput({ data: running.final() }),
    schemeOf(object, parameters).kind === 'pure',
  );
}

function verifying({ key, parameters, proof: known }: StreamStart): StreamWork {
  const object = createPublicKey({ key: Buffer.from(key.buffer, key.byteOffset, key.length), format: 'der', type: 'spki' });
  const running = verifyStream(object, parameters);
  return silent(
    (data) => running.update(data),
    (proof) => toOutput({ valid: running.final(required(proof ?? known, TAG.SignatureData)) }),
    isForKey(object, parameters) && schemeOf(object, parameters).kind === 'pure',
  );
}

function authenticating({ kind, key, algorithm, parameters, proof: known }: StreamStart): StreamWork {
  const running = macStream(macAlgorithm(algorithm, parameters), keyObject(key));
  return silent(
    (data) => running.update(data),
    (proof) => (kind === 'MAC' ? toOutput({ data: running.digest() }) : toOutput({ valid: equalMac(running.digest(), required(proof ?? known, TAG.MACData)) })),
  );
}

function hashing({ parameters }: StreamStart): StreamWork {
  const running = hashStream(required(parameters.hashingAlgorithm, TAG.HashingAlgorithm));
  return silent(
    (data) => running.update(data),
    () => toOutput({ data: running.digest() }),
  );
}

function unsupported(name: string): Refusal {
  return new Refusal('UnsupportedCryptographicParameters', `${name} does not support multi-part operations: send all data in one request`);
}
