// A name that a request holds, in the one form that all of them are kept in.
import { Fault } from '../fault.ts';
import { normalName } from '../normal-form.ts';

/** @param where of the request it stands, as `body/username` @returns it composed (NFC), whatever it is a name of @throws Fault BAD_REQUEST for what is none */
export function nameIn(given: string, where: string): string {
  const name = normalName(given);
  if (name === undefined) throw new Fault('BAD_REQUEST', { detail: `${where}: cannot be a name` });
  return name;
}
