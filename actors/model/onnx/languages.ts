// Multilingual translation models: a token of the language stands beside the source, and another one begins the translation (M2M100, NLLB, mBART-50), or one that names the target stands before the source (OPUS-MT, MADLAD).
import { Fault } from '../../../kernel/fault.ts';
import type { Decoding } from './decoding.ts';
import type { Phrasing } from './phrasing.ts';
import type { Tokenizer } from './tokenizer.ts';

/** As M2M100, NLLB and mBART write them: `__fr__`, `fra_Latn`, `fr_XX`. */
const FORMS = [/^__([a-z]{2,3})__$/, /^([a-z]{3})_([A-Z][a-z]{3})$/, /^([a-z]{2,3})_[A-Z]{2}$/] as const;

/** As OPUS-MT and MADLAD write the target: `>>fra<<`, `>>cmn_Hans<<`, `<2fr>`. */
const TARGETS = [/^>>([a-z]{2,3})(?:_([A-Z][a-z]{3}))?<<$/, /^<2([a-z]{2,3})(?:_([A-Z][a-z]{3}))?>$/] as const;
/** Codes of one language: that of ISO 639-1, and what `Intl` makes of it. */
const SAME = [
  ['no', 'nb'],
  ['nb', 'no'],
  ['tl', 'fil'],
  ['tw', 'ak'],
] as const;

type Words = Iterable<readonly [id: number, content: string, ...unknown[]]>;

/** @returns the token of each language that has a code in ISO 639-1 */
export function languageTokens(words: Words, forms: readonly RegExp[] = FORMS): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [id, content] of words) {
    const [, code, script] = forms.map((form) => form.exec(content)).find((match) => match !== null) ?? [];
    if (code === undefined) continue;
    // Codes of three letters become those of two: `fra` is `fr`, `cmn` is `zh`.
    const { language } = new Intl.Locale(code);
    const isUsual = script === undefined || new Intl.Locale(language).maximize().script === script;
    if (isUsual || !found.has(language)) found.set(language, id);
  }
  for (const [code, other] of SAME) if (!found.has(code) && found.has(other)) found.set(code, found.get(other) as number);
  return new Map([...found].filter(([language]) => language.length === 2));
}

/** @returns the token of each language that a source can be translated into, in the vocabulary */
export function targetTokens(words: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return languageTokens(
    [...words].map(([content, id]) => [id, content] as const),
    TARGETS,
  );
}

/** @param tokens as `targetTokens` finds them */
export function targetedPhrasing(tokenizer: Tokenizer, { window }: Decoding, tokens: ReadonlyMap<string, number>): Phrasing {
  return {
    room: window - tokenizer.overhead - 1,
    tasks(input, { languages, maxTokens }) {
      if (!languages) throw new Fault('MODEL_FAILED', { detail: 'a model for several languages needs the languages: it is for translation' });
      const target = tokenOf(tokens, languages.to);
      return tokenizer.windows(input, window - 1).map((own) => ({ ids: [target, ...own], first: undefined, maxTokens }));
    },
  };
}

function tokenOf(tokens: ReadonlyMap<string, number>, language: string): number {
  const token = tokens.get(language);
  if (token === undefined) throw new Fault('MODEL_NOT_INSTALLED', { detail: `the model does not know the language ${language}` });
  return token;
}

/** @throws Fault MODEL_FAILED for a tokenizer that has no words for languages */
export function multilingualPhrasing(tokenizer: Tokenizer, { window }: Decoding): Phrasing {
  const tokens = languageTokens(tokenizer.added());
  if (tokens.size === 0) throw new Fault('MODEL_FAILED', { detail: 'tokenizer.json has no words for languages' });
  const ids = new Set(tokens.values());
  return {
    room: window - tokenizer.overhead,
    tasks(input, { languages, maxTokens }) {
      if (!languages) throw new Fault('MODEL_FAILED', { detail: 'a multilingual model needs the languages: it is for translation' });
      const [from, first] = [tokenOf(tokens, languages.from), tokenOf(tokens, languages.to)];
      // The tokenizer puts the token of some language there.
      return tokenizer.windows(input, window, { mark: (id) => (ids.has(id) ? from : id) }).map((own) => ({ ids: own, first, maxTokens }));
    },
  };
}
