// The PINs that a token has refused: none of them is sent again until the token shows that an operator has corrected the problem.

/** CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED: the token reports that a PIN was refused. */
const PIN_REFUSED_FLAGS = 0x10000 | 0x20000 | 0x40000;

/** Of C_GetTokenInfo. */
export interface TokenFacts {
  readonly serial: string;
  readonly label: string;
  readonly flags: number;
}

export class PinRefusal {
  readonly #token: TokenFacts;
  readonly #marks: ReadonlySet<number>;
  #isRemembered = false;
  /** The correction was told, and the library started again where that can be: some libraries refuse the right PIN too until then. */
  isKnownCorrected = false;

  /** @param mark of the PIN @param before those that were refused earlier: a file may have one of them again */
  constructor(token: TokenFacts, mark: number, before?: PinRefusal) {
    this.#token = token;
    const isForgiven = before === undefined || before.isKnownCorrected || before.#token.serial !== token.serial || before.isCorrected(token);
    this.#marks = new Set([...(isForgiven ? [] : before.#marks), mark]);
  }

  /** @param flags of the token after the refusal */
  remember(flags: number): void {
    this.#isRemembered = (flags & PIN_REFUSED_FLAGS) !== 0;
  }

  concerns({ serial }: TokenFacts, mark: number): boolean {
    return this.#token.serial === serial && this.#marks.has(mark);
  }

  /** Whether the token remembers no refusal any more, or has another label: only C_InitToken changes it (PKCS#11 3.1 section 5.5.8), and the PIN with it. */
  isCorrected({ label, flags }: TokenFacts): boolean {
    return this.#token.label !== label || (this.#isRemembered && (flags & PIN_REFUSED_FLAGS) === 0);
  }
}
