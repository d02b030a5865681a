// Summaries by a model: of each window of a text, then of the summaries, until one window holds all.
import type { Generator } from './generation.ts';
import type { Say } from './streamed.ts';

const WINDOW_TOKENS = 800;
const SUMMARY_TOKENS = 160;
const INSTRUCTION =
  'Summarise the text that the user sends in a few sentences, in the language of the text. Use only what the text says. Answer with the summary alone.';

/** @param say gets the last pass in pieces @returns the empty text for an empty one */
export async function summaryBy(model: Generator, text: string, say?: Say): Promise<string> {
  let [windows = []] = await model.cut([text], WINDOW_TOKENS);
  for (;;) {
    const parts = await model.generate(
      { inputs: windows, instruction: INSTRUCTION, maxNewTokens: SUMMARY_TOKENS },
      windows.length <= 1 && say ? (_, piece) => say(piece) : undefined,
    );
    const joined = parts.filter((part) => part !== '').join(' ');
    // One window needs no further pass.
    if (windows.length <= 1) return joined;
    const [next = []] = await model.cut([joined], WINDOW_TOKENS);
    // A model that shortens nothing would go on for ever.
    if (next.length >= windows.length) return joined;
    windows = next;
  }
}
