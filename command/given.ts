// What is given on the command line, checked alike for all commands: no flag twice, nothing empty, no flags together of which one would be passed over.
import type { Argument, Option } from 'commander';
import { CommandError, EXIT } from './exit.ts';

/** An empty value is that of a variable of a script that is not set: a key without a name, or the wrong one of two files. */
function filled(what: string, value: string): string {
  if (value === '') throw new CommandError(`${what} is empty`, EXIT.usage);
  return value;
}

/** Of a flag that is given twice it would be unclear which value is used. */
export function checkedOption(option: Option): Option {
  const parse = option.parseArg;
  return option.argParser((value: string, before: unknown) => {
    const flag = option.long ?? option.flags;
    if (before !== undefined && !option.variadic) throw new CommandError(`${flag} is given more than once; give it once`, EXIT.usage);
    filled(flag, value);
    if (parse) return parse(value, before);
    return option.variadic ? [...((before as string[] | undefined) ?? []), value] : value;
  });
}

export function checkedArgument(argument: Argument): Argument {
  return argument.argParser((value: string, before: unknown) => {
    filled(`<${argument.name()}>`, value);
    return argument.variadic ? [...((before as string[] | undefined) ?? []), value] : value;
  });
}

/** @param flags as a command gets them @throws CommandError if `one` was given with any of `others`, which would be passed over */
export function keepApart<F extends object>(flags: F, one: keyof F & string, others: readonly (keyof F & string)[]): void {
  const other = flags[one] === undefined ? undefined : others.find((each) => flags[each] !== undefined);
  if (other !== undefined) throw new CommandError(`${written(one)} and ${written(other)} cannot be combined; use one of them`, EXIT.usage);
}

const written = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
