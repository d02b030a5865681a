// Translations by a model: whole sentences together in windows, line by line, so that paragraphs stay what they are.
import { Fault } from '../../kernel/fault.ts';
import { OWN_COMMANDS } from '../../kernel/own-commands.ts';
import type { AiConfig } from './config.ts';
import type { Generator, ModelConfig } from './generation.ts';
import { presentCode } from './language.ts';
import type { Say } from './streamed.ts';

const WINDOW_TOKENS = 200;
/** Some languages need more tokens than others for the same. */
const NEW_TOKENS = 600;
const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });

/** @throws Fault MODEL_NOT_INSTALLED that names what is installed, and what to do */
export function translatorFor({ models }: AiConfig, from: string, to: string): ModelConfig {
  const translators = models.filter(({ task }) => task === 'translation');
  const isPair = (pair: string) => pair.split('-').map(presentCode).join('-') === `${from}-${to}`;
  const found = translators.find(({ languages }) => languages.some(isPair)) ?? translators.find(({ languages }) => languages.includes('*'));
  if (found) return found;
  const pairs = [...new Set(translators.flatMap(({ languages }) => languages))].sort();
  const installed = pairs.length === 0 ? 'none' : pairs.join(', ');
  const command = `${OWN_COMMANDS.model} pull Xenova/opus-mt-${from}-${to}`;
  throw new Fault('MODEL_NOT_INSTALLED', {
    detail: `no model that translates from ${from} to ${to} is installed; installed pairs: ${installed}; to install one: ${command}, and a table [[ai.models]]`,
  });
}

/** @param from @param to codes of ISO 639-1 @param say gets the translation in pieces */
export async function translationBy(model: Generator, text: string, from: string, to: string, say?: Say): Promise<string> {
  const instruction = `Translate the text that the user sends from ${NAMES.of(from)} to ${NAMES.of(to)}. Answer with the translation alone.`;
  const windows: string[] = [];
  /** What stands before each window, and after the last. */
  const between = [''];
  // Lines, and what separates them, in turns.
  const parts = text.split(/([\r\n]+)/);
  const isText = (part: string, index: number) => index % 2 === 0 && part.trim() !== '';
  const cut = (await model.cut(parts.filter(isText), WINDOW_TOKENS)).values();
  for (const [index, part] of parts.entries()) {
    const own = isText(part, index) ? (cut.next().value ?? []) : [];
    if (own.length === 0) between[windows.length] += part;
    for (const [place, window] of own.entries()) {
      if (place > 0) between[windows.length] += ' ';
      windows.push(window);
      between.push('');
    }
  }
  let last = -1;
  const tell = (index: number, piece: string) => {
    say?.(`${index === last ? '' : between[index]}${piece}`);
    last = index;
  };
  const translated = await model.generate({ inputs: windows, instruction, maxNewTokens: NEW_TOKENS, languages: { from, to } }, say && tell);
  return between.map((space, index) => `${space}${translated[index] ?? ''}`).join('');
}
