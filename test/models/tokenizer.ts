// The tokenizer of a test model, as tokenizer.json of the hub: one word is one token.
import { END, PADDING, UNKNOWN } from './phrasebook.ts';

const special = (id: number, content: string) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true });
const replace = (from: string, to: string) => ({ type: 'Replace', pattern: { String: from }, content: to });
const metaspace = { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always', split: true };

/** What stands at the end of a word and is a word of its own to the model. */
const MARKS = ['.', '?', ':'];

/** @param words the end first, the unknown word second, the padding last */
export function sequenceTokenizer(words: readonly string[]): object {
  const marks = MARKS.filter((mark) => words.includes(mark));
  const padding = words.length - 1;
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [special(0, END), special(1, UNKNOWN), special(padding, PADDING)],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Lowercase' }, ...marks.map((mark) => replace(mark, ` ${mark}`)), replace("l'", "l' ")] },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: END, type_id: 0 } }],
      pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 0 } }, { SpecialToken: { id: END, type_id: 0 } }],
      special_tokens: { [END]: { id: END, ids: [0], tokens: [END] } },
    },
    decoder: { type: 'Sequence', decoders: [metaspace, { type: 'Fuse' }, replace(' .', '.'), replace("l' ", "l'")] },
    model: {
      type: 'Unigram',
      unk_id: 1,
      vocab: words.map((word, id) => (id < 2 || id === padding ? [word, 0] : [`▁${word}`, -5])),
      byte_fallback: false,
    },
  };
}

/** As that of M2M100: the words of languages are special, and one of them stands before each text. @param languages the first is put there, whatever the text */
export function multilingualTokenizer(words: readonly string[], languages: readonly string[]): object {
  const plain = sequenceTokenizer(words) as ReturnType<typeof JSON.parse>;
  const [first = ''] = languages;
  const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const entry = (id: string) => ({ id, ids: [words.indexOf(id)], tokens: [id] });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  return {
    ...plain,
    added_tokens: [...plain.added_tokens, ...languages.map((language) => special(words.indexOf(language), language))],
    post_processor: {
      type: 'TemplateProcessing',
      single: [token(first), text, token(END)],
      pair: [token(first), text, { Sequence: { id: 'B', type_id: 0 } }, token(END)],
      special_tokens: { [first]: entry(first), [END]: entry(END) },
    },
  };
}

/** Of a model for chats: nothing stands around a text but what its template puts there. @param roles words that tell who speaks */
export function talkerTokenizer(words: readonly string[], roles: readonly string[]): object {
  const plain = sequenceTokenizer(words) as ReturnType<typeof JSON.parse>;
  const added = [...plain.added_tokens, ...roles.map((role) => special(words.indexOf(role), role))];
  return { ...plain, added_tokens: added, post_processor: null };
}

export function sequenceTokenizerConfig(kind: string, maxTokens: number): object {
  return {
    tokenizer_class: kind,
    model_max_length: maxTokens,
    clean_up_tokenization_spaces: false,
    eos_token: END,
    unk_token: UNKNOWN,
    pad_token: PADDING,
  };
}

const PIECES = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
export const FIRST_WORD = PIECES.length;

/** As BERT has it: whole words only. */
export function bertTokenizer(words: readonly string[]): object {
  const all = [...PIECES, ...words];
  const mark = (id: string, type: number) => ({ SpecialToken: { id, type_id: type } });
  const text = (id: 'A' | 'B', type: number) => ({ Sequence: { id, type_id: type } });
  const entry = (token: string) => ({ id: token, ids: [all.indexOf(token)], tokens: [token] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: PIECES.map((piece, id) => special(id, piece)),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [mark('[CLS]', 0), text('A', 0), mark('[SEP]', 0)],
      pair: [mark('[CLS]', 0), text('A', 0), mark('[SEP]', 0), text('B', 1), mark('[SEP]', 1)],
      special_tokens: { '[CLS]': entry('[CLS]'), '[SEP]': entry('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(all.map((word, id) => [word, id])),
    },
  };
}

export function bertTokenizerConfig(maxTokens: number): object {
  const [pad, unknown, first, separator, mask] = PIECES;
  const names = { pad_token: pad, unk_token: unknown, cls_token: first, sep_token: separator, mask_token: mask };
  return { tokenizer_class: 'BertTokenizer', model_max_length: maxTokens, do_lower_case: true, ...names };
}
