// Asks before something is lost: the user types the name on a terminal, a script says --yes.
import { type Flag, flag, type Surroundings } from './command.ts';
import { CommandError, EXIT } from './exit.ts';
import { printable } from './printable.ts';

export const YES: Flag = flag('--yes', 'do not ask');

export interface Yes {
  readonly yes?: boolean;
}

/** @param loss what happens: `deletes the realm team and everything in it` @param name what the user has to type */
export async function confirmed({ prompts }: Pick<Surroundings, 'prompts'>, { yes }: Yes, loss: string, name: string): Promise<void> {
  if (yes) return;
  if (!prompts.isInteractive) throw new CommandError(`this ${loss}: say --yes`, EXIT.usage);
  const typed = await prompts.ask(`This ${printable(loss)}. Type ${printable(name)} to go on:`);
  if (printable(typed).trim() !== printable(name).trim()) throw new CommandError('stopped: nothing was changed');
}
