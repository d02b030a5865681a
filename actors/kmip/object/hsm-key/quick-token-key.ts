// A key on a token beside the callers of the key server: each use is decided and checked there, and its data goes straight to the HSM instance.
import { leave } from '../../leave.ts';
import type { Authentication, CipherChoice, CipherFacts, Decryption, Encrypted, Encryption, Key, KeyFacts, KeyKind, Signing } from '../key.ts';
import { LeftKey } from '../left-key.ts';
import { aesMechanism } from './cipher-mechanism.ts';
import { hsmKeys } from './hsm-key.ts';
import { isWrap } from './token-cipher.ts';
import type { Tokens } from './tokens.ts';

/** Keys whose identifier is that of an HSM. Who gives one up is the actor. */
export function quickTokenKeys(tokens: Tokens): KeyKind {
  const { holds, open } = hsmKeys(tokens);
  return { holds, open: (object, ctx) => new QuickTokenKey(open(object, ctx)) };
}

/** What is one call of the token. All other uses, such as those that bring keys in or out, are left to the actor, and so is what a thread computes itself. */
class QuickTokenKey extends LeftKey {
  readonly #key: Key;

  constructor(key: Key) {
    super(key);
    this.#key = key;
  }

  hold(): Promise<undefined> {
    return leave();
  }

  wrapThere(): Promise<undefined> {
    return leave();
  }

  override cipher(choice: CipherChoice): CipherFacts {
    return this.#key.cipher(choice);
  }

  override encrypt(input: Encryption): Encrypted | Promise<Encrypted> {
    return isKeyWrap(this, input) ? leave() : this.#key.encrypt(input);
  }

  override decrypt(input: Decryption): Uint8Array | Promise<Uint8Array> {
    return isKeyWrap(this, input) ? leave() : this.#key.decrypt(input);
  }

  override sign(input: Signing): Uint8Array | Promise<Uint8Array> {
    return this.#key.sign(input);
  }

  override mac(input: Authentication): Uint8Array | Promise<Uint8Array> {
    return this.#key.mac(input);
  }

  override verifyMac(input: Authentication, expected: Uint8Array): Promise<boolean> {
    return this.#key.verifyMac(input, expected);
  }
}

function isKeyWrap({ kind }: KeyFacts, { parameters }: Encryption): boolean {
  return kind === 'secret' ? isWrap(aesMechanism(parameters)) : parameters.paddingMethod === 'None';
}
