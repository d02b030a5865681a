// Multilingual translation models: a token of the language stands beside the source, and another one begins the translation (M2M100, NLLB, mBART-50).
import { Fault } from '../../../kernel/fault.ts';
import type { Decoding } from './decoding.ts';
import type { Phrasing } from './phrasing.ts';
import type { Tokenizer } from './tokenizer.ts';

/** As M2M100, NLLB and mBART write them: `__fr__`, `fra_Latn`, `fr_XX`. */
const FORMS = [/^__([a-z]{2,3})__$/, /^([a-z]{3})_([A-Z][a-z]{3})$/, /^([a-z]{2,3})_[A-Z]{2}$/] as const;

/** @returns the token of each language that has a code in ISO 639-1 */
export function languageTokens(added: Iterable<readonly [id: number, content: string, ...unknown[]]>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [id, content] of added) {
    const [, code, script] = FORMS.map((form) => form.exec(content)).find((match) => match !== null) ?? [];
    if (code === undefined) continue;
    // Codes of three letters become those of two: `fra` is `fr`, `cmn` is `zh`.
    const { language } = new Intl.Locale(code);
    const isUsual = script === undefined || new Intl.Locale(language).maximize().script === script;
    if (language.length === 2 && (isUsual || !found.has(language))) found.set(language, id);
  }
  return found;
}

/** @throws Fault MODEL_FAILED for a tokenizer that has no words for languages */
export function multilingualPhrasing(tokenizer: Tokenizer, { window }: Decoding): Phrasing {
  const tokens = languageTokens(tokenizer.added());
  if (tokens.size === 0) throw new Fault('MODEL_FAILED', { detail: 'tokenizer.json has no words for languages' });
  const ids = new Set(tokens.values());
  const tokenOf = (language: string): number => {
    const token = tokens.get(language);
    if (token === undefined) throw new Fault('MODEL_NOT_INSTALLED', { detail: `the model does not know the language ${language}` });
    return token;
  };
  return {
    room: window - tokenizer.overhead,
    tasks(input, { languages, maxTokens }) {
      if (!languages) throw new Fault('MODEL_FAILED', { detail: 'a multilingual model needs the languages: it is for translation' });
      const [from, first] = [tokenOf(languages.from), tokenOf(languages.to)];
      // The tokenizer puts the token of some language there.
      return tokenizer.windows(input, window, (id) => (ids.has(id) ? from : id)).map((own) => ({ ids: own, first, maxTokens }));
    },
  };
}
