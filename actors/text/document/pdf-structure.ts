// What a tagged pdf says of its text (ISO 32000-1 section 14.8): what is a paragraph, an item or a row of its own, however near the next one stands.
import type { getDocumentProxy } from 'unpdf';
import type { Tagged } from './paragraphs.ts';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

interface Node {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly children?: readonly Node[];
}

/** An item may have paragraphs, and its mark stands beside them. */
const WHOLE = /^(LI|TR|TOCI|Caption|Title|H\d?)$/;

/** The marks in the text of a page; pieces of content may stand in each other. */
export class MarkedContent {
  readonly #tagged = new Map<string, Tagged>();
  readonly #open: (Tagged | undefined)[] = [];

  /** What is wrong with the tags keeps nobody from reading the page. */
  static async of(page: Page): Promise<MarkedContent> {
    const content = new MarkedContent();
    const root: Node | null = await page.getStructTree().catch(() => null);
    if (root) content.#visit(root, undefined);
    return content;
  }

  /** The reader ends trees that are deep. */
  #visit({ role = '', type, id, children = [] }: Node, around: Tagged | undefined): void {
    const isWhole = WHOLE.test(role);
    const own = isWhole || (role === 'P' && !around?.isWhole) ? { isWhole } : around;
    if (type === 'content' && id !== undefined && own) this.#tagged.set(id, own);
    for (const child of children) this.#visit(child, own);
  }

  begin(id: string | undefined): void {
    this.#open.push((id === undefined ? undefined : this.#tagged.get(id)) ?? this.#open.at(-1));
  }

  end(): void {
    this.#open.pop();
  }

  get tagged(): Tagged | undefined {
    return this.#open.at(-1);
  }
}
