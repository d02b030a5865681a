// Finds the character maps that a pdf names and does not hold: most old Chinese, Japanese and Korean ones cannot be read without them (ISO 32000-1 section 9.7.5.2).
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuse } from '../refuse.ts';

/** Of Debian's package poppler-data: a folder for each collection of characters. */
const FOLDER = '/usr/share/poppler/cMap';
const NAME = /^[A-Za-z0-9-]{1,64}$/;

/** @returns paths of the maps in a folder by their names; none if there is no such folder */
function mapsIn(folder: string): ReadonlyMap<string, string> {
  return new Map(globSync('*/*', { cwd: folder }).map((path) => [path.replace(/^.*\//, ''), join(folder, path)]));
}

/** What the reader of pdf files asks for maps. It leaves out text whose map it does not get. */
export class CharacterMaps {
  readonly #folder: string;
  /** Set by the first question: few files ask one. */
  #paths: ReadonlyMap<string, string> | undefined;
  /** Names of those that this machine does not have. */
  readonly #missing = new Set<string>();

  constructor(folder = FOLDER) {
    this.#folder = folder;
  }

  /** @throws Fault BAD_REQUEST if the reader had to leave out text */
  requireAll(): void {
    const [name] = this.#missing;
    if (name === undefined) return;
    throw refuse(`the pdf needs the character map ${name}; add a copy with embedded fonts, or ask the operator to install Debian's package poppler-data`);
  }

  /** @returns the class that the reader makes its source of data from */
  get factory(): new () => { fetch(asked: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> } {
    const read = (name: string) => this.#read(name);
    return class {
      async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
        // Fonts and decoders of images are for drawing.
        if (kind !== 'cMapUrl') throw new Error(`${kind} is not available`);
        return read(filename);
      }
    };
  }

  async #read(name: string): Promise<Uint8Array> {
    this.#paths ??= mapsIn(this.#folder);
    const path = NAME.test(name) ? this.#paths.get(name) : undefined;
    if (path === undefined) {
      this.#missing.add(name.slice(0, 64));
      throw new Error(`the character map ${name} is not available`);
    }
    return new Uint8Array(await readFile(path));
  }
}
