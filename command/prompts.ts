// Asks the user, on a terminal only; secrets come from there, from a file, or from lines of standard input, and never from the command line.
import { createInterface } from 'node:readline/promises';
import { read } from 'read';
import { CommandError, EXIT } from './exit.ts';
import { textOf } from './files.ts';

export interface Prompts {
  /** Whether somebody is there to answer. */
  readonly isInteractive: boolean;
  tell(text: string): void;
  ask(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
  /**
   * @param file where the secret stands: a path, or `-` for the next line of standard input. Without it the terminal is asked
   * @param flag named in the error if there is neither
   */
  secret(question: string, file: string | undefined, flag: string): Promise<string>;
}

/** Lines of standard input, read one at a time: a second secret is on the second line. */
function linesOf(input: NodeJS.ReadStream): () => Promise<string> {
  let lines: AsyncIterator<string> | undefined;
  return async () => {
    lines ??= createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
    const { done, value } = await lines.next();
    if (done === true) throw new CommandError('standard input has ended where a secret was expected', EXIT.usage);
    return value;
  };
}

/** `read` never ends when its user leaves with Ctrl-D. After a line the input is paused too, but then the line is there first. */
function left(input: NodeJS.ReadStream): Promise<never> {
  return new Promise((_, reject) => input.once('pause', () => setImmediate(() => reject(new Error('left')))));
}

/** Without a secret the server would refuse, and count a failure against whose it should be. */
function given(where: string, secret: string, flag: string): string {
  if (secret === '') throw new CommandError(`${where} is empty, where ${flag} expects a secret`, EXIT.usage);
  return secret;
}

export function createPrompts(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Prompts {
  const isInteractive = input.isTTY === true && output.isTTY === true;
  const nextLine = linesOf(input);
  const ask = async (prompt: string, silent: boolean) => {
    if (!isInteractive) throw new CommandError(`${prompt} (nobody can be asked here)`, EXIT.usage);
    try {
      return String(await Promise.race([read({ prompt: `${prompt} `, silent, input, output }), left(input)]));
    } catch {
      throw new CommandError('stopped');
    }
  };
  return {
    isInteractive,
    tell: (text) => void output.write(text),
    ask: (question) => ask(question, false),
    confirm: async (question) => /^y(es)?$/i.test((await ask(`${question} [y/N]`, false)).trim()),
    async secret(question, file, flag) {
      if (file === '-') return given('the line of standard input', await nextLine(), flag);
      if (file !== undefined) return given(file, textOf(file).replace(/\r?\n$/, ''), flag);
      if (!isInteractive) throw new CommandError(`${question} give ${flag} FILE, or - to read a line of standard input`, EXIT.usage);
      return ask(question, true);
    },
  };
}
