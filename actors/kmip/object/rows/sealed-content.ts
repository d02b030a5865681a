// Seals the content of objects for the store with the data key, bound to one object. Unchanged content is not sealed again.
import type { DataKey } from '../../../../kernel/keys/data-key.ts';
import type { Reader } from '../../../../kernel/store/store.ts';
import { decodeBinary, encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import type { Structure } from '../../../../kmip/ttlv/node.ts';
import { type ContentMark, contentMark, isSameContent, NO_CONTENT } from './row-seal.ts';

/** Without content, `bytes` is null. */
interface SealedContent {
  readonly bytes: Uint8Array | null;
  readonly mark: ContentMark;
}

export class SealedContents {
  readonly #dataKey: DataKey;
  /** The mark of the sealed bytes that each content in memory was read from or written to. */
  readonly #marks = new WeakMap<Structure, ContentMark>();

  constructor(dataKey: DataKey) {
    this.#dataKey = dataKey;
  }

  seal(id: string, content: Structure | undefined): SealedContent {
    if (!content) return { bytes: null, mark: NO_CONTENT };
    const plain = encodeBinary(content);
    try {
      const { generation, bytes } = this.#dataKey.seal(purpose(id), plain);
      const mark = contentMark(generation, bytes);
      this.#marks.set(content, mark);
      return { bytes, mark };
    } finally {
      plain.fill(0);
    }
  }

  /** Whether a content equals the stored bytes that have this mark. */
  isStored(content: Structure | undefined, stored: ContentMark): boolean {
    const mark = content ? this.#marks.get(content) : NO_CONTENT;
    return mark !== undefined && isSameContent(mark, stored);
  }

  /** @param mark from the row that holds the bytes @returns undefined if the bytes were not sealed for this object, or do not match the mark */
  async open(from: Reader, id: string, { bytes, mark }: SealedContent): Promise<Structure | undefined> {
    if (bytes === null || !isSameContent(contentMark(mark.generation, bytes), mark)) return undefined;
    const plain = await this.#dataKey.unseal(from, purpose(id), { generation: mark.generation, bytes });
    if (!plain) return undefined;
    const content = decodeBinary(plain);
    this.#marks.set(content, mark);
    return content;
  }
}

function purpose(id: string): string {
  return `gatehouse object ${id}`;
}
