// Sends the PIN of a slot to its token, for a login or for one use of a key: never one that the token has refused, until it shows that this was corrected.
import type pkcs11js from 'pkcs11js';
import { type SecretFile, textOfSecret } from '../../../kernel/config/secret-file.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { withHint } from '../token/find-slot.ts';
import { isPinRefusal, returnValue } from '../token/return-value.ts';
import { markOfPin } from './pin-mark.ts';
import { PinRefusal, type TokenFacts } from './pin-refusal.ts';

/** CKU_USER and CKU_CONTEXT_SPECIFIC. */
const [USER, USE] = [1, 2];
const CORRECTED = 'the token refused the PIN and shows now that it was corrected; its library is started again';

/** The token refused the PIN, and shows for the first time that this was corrected. */
export class PinCorrected extends Error {}

interface TokenPlace {
  readonly library: pkcs11js.PKCS11;
  readonly slot: pkcs11js.Handle;
}

export class PinOffer {
  readonly #pin: string | SecretFile;
  readonly #hint: string | undefined;
  #refusal: PinRefusal | undefined;
  /** Whether the token has refused the PIN that was looked at last. */
  #isRefused = false;

  /** @param hint where the operator finds the right one */
  constructor(pin: string | SecretFile, hint: string | undefined) {
    this.#pin = pin;
    this.#hint = hint;
  }

  /** The slot waits for another PIN, or for a correction. */
  get isRefused(): boolean {
    return this.#isRefused && this.#refusal?.isKnownCorrected === false;
  }

  /** @param open opens the session, once it is known that the PIN may be sent @throws Error, PinCorrected, and what the token says */
  login(at: TokenPlace, token: TokenFacts, open: () => pkcs11js.Handle): pkcs11js.Handle {
    const pin = textOfSecret(this.#pin);
    this.#requireNotRefused(pin, token);
    const session = open();
    try {
      this.#send(at, session, USER, pin, token);
    } catch (error) {
      if (returnValue(error) !== CKR.USER_ALREADY_LOGGED_IN) throw error;
    }
    this.#refusal = undefined;
    return session;
  }

  /** For the use of a key that has begun in the session. @throws Error, and what the token says; CKR_PIN_INCORRECT also in its place */
  confirm(at: TokenPlace, session: pkcs11js.Handle): void {
    const pin = textOfSecret(this.#pin);
    const { serialNumber, label, flags } = at.library.C_GetTokenInfo(at.slot);
    const token = { serial: serialNumber.trim(), label, flags };
    if (this.#refusalOf(pin, token)?.isCorrected(token) === false) throw Object.assign(new Error('the token has refused the PIN'), { code: CKR.PIN_INCORRECT });
    this.#send(at, session, USE, pin, token);
  }

  #send({ library, slot }: TokenPlace, session: pkcs11js.Handle, user: number, pin: string, token: TokenFacts): void {
    try {
      library.C_Login(session, user, pin);
    } catch (error) {
      if (isPinRefusal(error)) {
        // Remembered before the token is asked for its flags: it may no longer answer.
        this.#refusal = new PinRefusal(token, markOfPin(pin), this.#refusal);
        this.#isRefused = true;
        this.#refusal.remember(library.C_GetTokenInfo(slot).flags);
      }
      throw error;
    }
  }

  /** @throws Error for a token that refused this PIN and does not show that this was corrected, PinCorrected if it shows it for the first time */
  #requireNotRefused(pin: string, token: TokenFacts): void {
    const refusal = this.#refusalOf(pin, token);
    if (refusal === undefined || refusal.isKnownCorrected) return;
    if (refusal.isCorrected(token)) {
      refusal.isKnownCorrected = true;
      throw new PinCorrected(CORRECTED);
    }
    const orElse = typeof this.#pin === 'string' ? '' : 'its file has another, or ';
    const text = `the token refused the PIN: check hsm_password; the server does not send this PIN again until ${orElse}the token shows that it was corrected`;
    throw new Error(withHint(text, this.#hint));
  }

  /** @returns the refusal of this PIN by this token; undefined if there was none */
  #refusalOf(pin: string, token: TokenFacts): PinRefusal | undefined {
    this.#isRefused = this.#refusal?.concerns(token, markOfPin(pin)) === true;
    return this.#isRefused ? this.#refusal : undefined;
  }
}
