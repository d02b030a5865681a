// A problem with a hub or with installed models that the operator can fix.
import { diskTrouble } from '../../../kernel/disk/disk-trouble.ts';

export class HubError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HubError';
  }
}

/** What was asked for is not written correctly; nothing was done. */
export class UsageError extends HubError {}

/** @param file if the error does not name it @throws HubError for a disk that takes no bytes; what has arrived is kept */
export function throwUnwritable(error: unknown, file: string): void {
  const trouble = diskTrouble(error);
  const { path = file } = error as NodeJS.ErrnoException;
  if (trouble) throw new HubError(`${path} cannot be written: ${trouble}; run the command again to go on`, error);
}
