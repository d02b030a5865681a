// `npm run soak`: mixed load on started servers while faults happen, and a verdict on every promise. The exit status is 1 if one is broken, 2 for a bad option.
import { OptionError, parseOptions, USAGE } from './options.ts';
import { soak } from './soak.ts';

const BAD_OPTION = 2;

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.isHelp) console.log(USAGE);
  else process.exitCode = (await soak(options)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = BAD_OPTION;
}
