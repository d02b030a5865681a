// How the user of this build types its commands: by npm in a clone, by the program's own name where a package brought it.
import { type BuildFacts, readBuildFacts } from './build-facts.ts';

interface OwnCommands {
  /** Starts the server; ready for flags to follow. */
  readonly start: string;
  /** Manages language models; ready for its arguments to follow. */
  readonly model: string;
}

const PROGRAM: OwnCommands = { start: 'gatehouse start', model: 'gatehouse model' };

const BY_PACKAGE: Readonly<Record<BuildFacts['package'], OwnCommands>> = {
  clone: { start: 'npm start --', model: 'npm run model --' },
  npm: PROGRAM,
  debian: PROGRAM,
  // The container's own command is the server; flags stand behind the name of the image.
  oci: { ...PROGRAM, start: 'docker run IMAGE' },
};

export const OWN_COMMANDS: OwnCommands = BY_PACKAGE[readBuildFacts().package];
