// What a tour of a foreign client prints: one object of JSON on a line for each step; and what of it is a problem.
import type { Outcome } from './client.ts';
import type { Output } from './program.ts';

interface Step {
  readonly step: string;
  /** Absent where the step went well. */
  readonly error?: string;
}

/** A step that fails on purpose: the words that its error has to say, and why it is right that it fails. */
export interface Refusal {
  readonly step: string;
  readonly says: RegExp;
  readonly reason: string;
}

/**
 * Lines that are no step belong to the program and are passed over.
 * @param refusals of steps that must fail; one that goes well, or is not there, is a problem too
 */
export function outcomeOf({ status, stdout, stderr }: Output, refusals: readonly Refusal[] = []): Outcome {
  const steps = stdout.split('\n').flatMap((line) => (line.startsWith('{"') ? [JSON.parse(line) as Step] : []));
  const expected = new Map(refusals.map((refusal) => [refusal.step, refusal]));
  const problems = steps.flatMap((step) => complaint(step, expected.get(step.step)) ?? []);
  const missing = refusals.filter(({ step }) => !steps.some((done) => done.step === step)).map(({ step }) => `${step}: did not run`);
  const broken = status === 0 ? [] : [`ended with status ${status}: ${stderr.slice(-2000)}`];
  return { passed: steps.length - problems.length, problems: [...problems, ...missing, ...broken] };
}

function complaint({ step, error }: Step, refusal: Refusal | undefined): string | undefined {
  if (refusal === undefined) return error === undefined ? undefined : `${step}: ${error}`;
  if (error === undefined) return `${step}: went well, it should not: ${refusal.reason}`;
  return refusal.says.test(error) ? undefined : `${step}: failed by ${error}, expected ${refusal.says}`;
}
