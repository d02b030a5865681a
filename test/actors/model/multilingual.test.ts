// One translation model for several languages: each row is told the language of its source and that of its translation, in one batch.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'uvu';
import { Generator } from '../../../actors/model/onnx/generator.ts';
import { languageTokens } from '../../../actors/model/onnx/languages.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { writeModel } from '../../models/build.ts';
import { lessons } from '../../models/phrasebook.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
test.before(() => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const PRECISIONS = ['', '_quantized'] as const;
const SENTENCES = lessons('en').heldOut.slice(0, 20);
const shown = (text: string) => text.replaceAll("l' ", "l'");

test('in one batch, each row in its language: both directions, and a language in itself', async () => {
  const own = writeModel('m2m-en-fr', folder);
  for (const precision of PRECISIONS) {
    const weights = ['encoder_model', 'decoder_model_merged'].map((part) => `onnx/${part}${precision}.onnx`);
    const generator = await Generator.open({ folder: own, weights, threads: 1, beams: 0 });
    const write = async (from: 'en' | 'fr', to: 'en' | 'fr') => {
      const side = (language: string) => (language === 'en' ? 0 : 1);
      const inputs = SENTENCES.map((pair) => shown(pair[side(from)]));
      const written = await generator.generate(inputs, { maxTokens: 40, languages: { from, to } }, undefined);
      assert.deepEqual(
        written,
        SENTENCES.map((pair) => ({ text: shown(pair[side(to)]), isCut: false })),
      );
    };
    await Promise.all([write('en', 'fr'), write('fr', 'en'), write('en', 'en'), write('fr', 'fr')]);
    const unknown = generator.generate(['hello'], { maxTokens: 40, languages: { from: 'en', to: 'de' } }, undefined);
    await assert.rejects(unknown, (error: Fault) => error.code === 'MODEL_NOT_INSTALLED' && /does not know the language de/.test(error.message));
    await assert.rejects(generator.generate(['hello'], { maxTokens: 40 }, undefined), (error: Fault) => error.code === 'MODEL_FAILED');
  }
});

test('words for languages of M2M100, NLLB and mBART: codes of two letters, the usual script', () => {
  const tokensOf = (words: readonly string[]) => Object.fromEntries(languageTokens(words.map((word, id) => [id, word])));
  assert.deepEqual(tokensOf(['<s>', '__en__', '__fr__', '__ast__', '__zh__']), { en: 1, fr: 2, zh: 4 });
  const nllb = ['<s>', 'eng_Latn', 'zho_Hant', 'zho_Hans', 'arb_Latn', 'arb_Arab', 'ace_Latn', 'pes_Arab', 'swh_Latn', '</s>'];
  assert.deepEqual(tokensOf(nllb), { en: 1, zh: 3, ar: 5, fa: 7, sw: 8 });
  assert.deepEqual(tokensOf(['__he__', '__tl__', '__id__']), { he: 0, id: 2, tl: 1 });
  assert.deepEqual(tokensOf(['aka_Latn', 'nob_Latn', 'tgl_Latn', 'twi_Latn']), { nb: 1, ak: 3, no: 1, tl: 2, tw: 3 });
  assert.deepEqual(tokensOf(['ar_AR', 'en_XX', 'pt_XX', '<mask>']), { ar: 0, en: 1, pt: 2 });
});

test.run();
