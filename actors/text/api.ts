// The interface of the text actor: reads forms and documents, and answers without a model. Everything that it does is CPU work without state.
import type { Passage } from '../../text/passages.ts';

/** What a form may hold. */
export interface FormLimits {
  readonly fields: readonly string[];
  /** The field that may be a file of any kind; its bytes are kept as they are. */
  readonly file?: string;
  /** Of each field, in bytes. */
  readonly maxFieldBytes: number;
}

export interface Form {
  /** By name; those that the request has. */
  readonly fields: Readonly<Record<string, string>>;
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
}

export type DocumentKind = 'epub' | 'pdf' | 'docx';

export interface ReadDocument {
  readonly kind: DocumentKind;
  /** Of the document itself, if it says one. */
  readonly title: string;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  readonly passages: readonly Passage[];
}

export type TextApi = {
  /**
   * @param contentType of the request: multipart/form-data or application/x-www-form-urlencoded
   * @throws Fault BAD_REQUEST that names what is wrong, PAYLOAD_TOO_LARGE
   */
  form(contentType: string, body: Uint8Array, limits: FormLimits): Promise<Form>;
  /** @param name of the file, as the client gave it @throws Fault BAD_REQUEST for a file that is not an epub, pdf or docx with text */
  document(name: string, file: Uint8Array): Promise<ReadDocument>;
  summarize(text: string): string;
  /** @param texts the most relevant first */
  answer(query: string, texts: readonly string[]): readonly string[];
  /** @returns the texts, those first that have most words of the question; equals keep their order */
  byRelevance(query: string, texts: readonly string[]): readonly string[];
  /** @returns the sentences of all texts, in order */
  sentences(texts: readonly string[]): readonly string[];
};
