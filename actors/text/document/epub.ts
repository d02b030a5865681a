// Reads an epub: its chapters in the order of its spine (EPUB 3.3 sections 4 and 5).
import { posix } from 'node:path';
import { refuse } from '../refuse.ts';
import type { Archive } from './archive.ts';
import { Blocks, type Content } from './content.ts';
import { htmlBlocks, visitXml } from './markup.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const XHTML = 'application/xhtml+xml';
const CONTENT: ReadonlySet<string> = new Set([XHTML, 'text/html']);
/** Fonts may be obfuscated by these two methods (EPUB 3.3 section 4.4); everything else is protection against copying. */
const OBFUSCATION = /^http:\/\/(www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;

export function isEpub(archive: Archive): boolean {
  return archive.has(CONTAINER);
}

/** @throws Fault BAD_REQUEST */
export async function readEpub(archive: Archive): Promise<Content> {
  await requireReadable(archive);
  const root = await packagePath(archive);
  const { title, chapters } = await readPackage(archive, root);
  const blocks = new Blocks();
  for (const { path, isXml } of chapters) blocks.add(htmlBlocks(await archive.text(path), isXml, blocks.reading()));
  return { title, blocks: blocks.all };
}

async function requireReadable(archive: Archive): Promise<void> {
  if (!archive.has(ENCRYPTION)) return;
  visitXml(await archive.text(ENCRYPTION), {
    open(name, { Algorithm = '' }) {
      if (name === 'EncryptionMethod' && !OBFUSCATION.test(Algorithm)) throw refuse('the epub is encrypted; add a copy without protection');
    },
  });
}

async function packagePath(archive: Archive): Promise<string> {
  let path: string | undefined;
  visitXml(await archive.text(CONTAINER), {
    open(name, { 'full-path': full }) {
      if (name === 'rootfile') path ??= full;
    },
  });
  if (path === undefined) throw refuse('the epub names no package document');
  return inside(path, '');
}

interface Chapter {
  readonly path: string;
  readonly isXml: boolean;
}

interface Package {
  readonly title: string;
  readonly chapters: readonly Chapter[];
}

async function readPackage(archive: Archive, root: string): Promise<Package> {
  const items = new Map<string, { readonly href: string; readonly type: string }>();
  const spine: string[] = [];
  let title = '';
  let isTitle = false;
  visitXml(await archive.text(root), {
    open(name, { id = '', href = '', 'media-type': type = '', idref = '' }) {
      if (name === 'item') items.set(id, { href, type });
      if (name === 'itemref') spine.push(idref);
      isTitle = name === 'title' && title === '';
    },
    text(text) {
      if (isTitle) title += text;
    },
    close() {
      isTitle = false;
    },
  });
  // Each once, as the standard has it: a spine that names one again and again would make a small file large.
  const chapters = new Map<string, Chapter>();
  for (const id of spine) {
    const item = items.get(id);
    if (!item || !CONTENT.has(item.type)) continue;
    const path = inside(item.href, posix.dirname(root));
    chapters.set(path, { path, isXml: item.type === XHTML });
  }
  if (chapters.size === 0) throw refuse('the epub has no chapters');
  return { title: title.trim(), chapters: [...chapters.values()] };
}

/** @param folder that `href` is relative to @throws Fault BAD_REQUEST for a path that leads out of the archive */
function inside(href: string, folder: string): string {
  const [path = ''] = href.split('#');
  const full = posix.normalize(posix.join(folder, decodePath(path)));
  if (full.startsWith('..') || full.startsWith('/')) throw refuse('the epub names a file outside of itself');
  return full;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
