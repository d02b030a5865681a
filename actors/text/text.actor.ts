// Reads forms and documents and answers without a model, on threads that end when a file takes too long.
import { defineActor } from '../../kernel/actor.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { answersTo } from '../../text/answers.ts';
import { byRelevance } from '../../text/relevance.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { summaryOf } from '../../text/summary.ts';
import type { TextApi } from './api.ts';
import { readDocument } from './document/document.ts';
import { readForm } from './form.ts';

export default defineActor<TextApi, null>(() => ({
  api: {
    async form(contentType, body, limits) {
      const form = await readForm(contentType, body, limits);
      return form.file ? { ...form, file: { ...form.file, bytes: move(form.file.bytes) } } : form;
    },
    document: readDocument,
    summarize: summaryOf,
    answer: answersTo,
    byRelevance,
    sentences: (texts) => texts.flatMap(sentencesOf),
  },
}));
