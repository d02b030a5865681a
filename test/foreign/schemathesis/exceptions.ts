// What schemathesis finds and is meant to find: each exception names where, which check, what the server said, and why that is right.
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

export interface Finding {
  /** Method and path as the description has them. */
  readonly operation: string;
  readonly check: string;
  readonly message: string;
  readonly status: number;
  /** Body of the answer. */
  readonly answer: string;
  readonly request: string;
}

export interface Exception {
  /** A pattern of the whole name. */
  readonly operation: string;
  readonly check: string;
  /** A pattern of it where several are meant. */
  readonly status: number | string;
  /** A pattern of the answer's body. */
  readonly answer: string;
  readonly reason: string;
}

interface Table {
  readonly exception: readonly Exception[];
  readonly unserved: readonly { readonly operation: string; readonly reason: string }[];
}

const table = parse(readFileSync(new URL('exceptions.toml', import.meta.url), 'utf8')) as unknown as Table;

export const exceptions = table.exception;

/** Operations that no request of a super admin is served by here. */
export function isUnserved(operation: string): boolean {
  return table.unserved.some((each) => isNamed(operation, each.operation));
}

export function exceptionOf({ operation, check, status, answer }: Finding): Exception | undefined {
  return exceptions.find(
    (each) =>
      each.check === check && isNamed(String(status), String(each.status)) && isNamed(operation, each.operation) && new RegExp(each.answer).test(answer),
  );
}

function isNamed(name: string, pattern: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(name);
}
