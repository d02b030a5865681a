// The text of an answer, in the form in which it reaches the front.
import { moveLarge } from '../../kernel/runtime/channel/bytes.ts';

/** Longer texts become bytes, which can move to another thread and be freed once they are sent. */
const MAX_CHARACTERS = 16_384;
const UTF_8 = new TextEncoder();

/** A short text stays one: to write it as bytes, and those into the answer, costs as much as an encryption. */
export function answerText(text: string): Uint8Array | string {
  return text.length > MAX_CHARACTERS ? moveLarge(UTF_8.encode(text)) : text;
}
