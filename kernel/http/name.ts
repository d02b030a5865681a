// Normalizes a name from a request to the form in which names are stored.
import { Fault } from '../fault.ts';
import { normalName } from '../normal-form.ts';

/** @param where place in the request, such as `body/username` @returns the name in composed form (NFC) @throws Fault BAD_REQUEST if it cannot be a name */
export function nameIn(given: string, where: string): string {
  const name = normalName(given);
  if (name === undefined) throw new Fault('BAD_REQUEST', { detail: `${where}: is not a valid name` });
  return name;
}
