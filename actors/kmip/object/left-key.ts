// A key beside the callers of the key server: all its uses are left to the actor, but for those that a kind of key overrides.
import type { KeyObject } from 'node:crypto';
import type { Wrapped } from '../../../crypto/cipher/wrap.ts';
import { leave } from '../leave.ts';
import type { Authentication, CipherChoice, CipherFacts, Decryption, Encrypted, Encryption, Key, KeyFacts, PartOutput, Signing } from './key.ts';

export class LeftKey implements Key {
  readonly id: string;
  readonly kind: KeyFacts['kind'];
  readonly algorithm: KeyFacts['algorithm'];
  readonly length: number;
  readonly curve: KeyFacts['curve'];
  readonly isForPssOnly: boolean;

  constructor({ id, kind, algorithm, length, curve, isForPssOnly }: KeyFacts) {
    this.id = id;
    this.kind = kind;
    this.algorithm = algorithm;
    this.length = length;
    this.curve = curve;
    this.isForPssOnly = isForPssOnly;
  }

  cipher(_choice: CipherChoice): CipherFacts {
    return leave();
  }

  takesParts(): boolean {
    return leave();
  }

  encrypt(_input: Encryption): Encrypted | Promise<Encrypted> {
    return leave();
  }

  decrypt(_input: Decryption): Uint8Array | Promise<Uint8Array> {
    return leave();
  }

  sign(_input: Signing): Uint8Array | Promise<Uint8Array> {
    return leave();
  }

  verify(): Promise<boolean> {
    return leave();
  }

  mac(_input: Authentication): Uint8Array | Promise<Uint8Array> {
    return leave();
  }

  verifyMac(_input: Authentication, _expected: Uint8Array): Promise<boolean> {
    return leave();
  }

  wrap(): Promise<Wrapped> {
    return leave();
  }

  unwrap(): Promise<Uint8Array> {
    return leave();
  }

  derive(): Promise<Uint8Array> {
    return leave();
  }

  agree(): Promise<Uint8Array> {
    return leave();
  }

  decapsulate(): Promise<Uint8Array> {
    return leave();
  }

  parts(): Promise<PartOutput> {
    return leave();
  }

  publicKey(): Promise<KeyObject> {
    return leave();
  }

  material(): Promise<KeyObject> {
    return leave();
  }
}
