// Reads the report of a run of schemathesis: one event a line, with every request, its answer, and what each check said of it.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Finding } from './exceptions.ts';

export interface Report {
  readonly findings: readonly Finding[];
  /** What schemathesis itself could not do. */
  readonly errors: readonly string[];
  /** Checks that were passed. */
  readonly passed: number;
  readonly operations: ReadonlySet<string>;
  /** Operations that some request was served by. */
  readonly served: ReadonlySet<string>;
}

interface Base64 {
  readonly $base64: string;
}

interface Interaction {
  readonly request: { readonly method: string; readonly uri: string; readonly body?: Base64 | null };
  readonly response?: { readonly status_code: number; readonly content?: Base64 | null } | null;
}

interface Recorder {
  readonly label: string;
  readonly cases: Readonly<Record<string, { readonly value: { readonly method: string; readonly path: string } }>>;
  readonly checks: Readonly<Record<string, readonly Check[]>>;
  readonly interactions: Readonly<Record<string, Interaction>>;
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly failure_info?: { readonly failure: { readonly message: string } };
}

interface Event {
  readonly ScenarioFinished?: { readonly recorder: Recorder };
  readonly NonFatalError?: unknown;
  readonly FatalError?: unknown;
}

const REQUEST_BYTES = 600;

export async function readReport(file: string): Promise<Report> {
  const read = { findings: [] as Finding[], errors: [] as string[], passed: 0, operations: new Set<string>(), served: new Set<string>() };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { ScenarioFinished: scenario, NonFatalError: error, FatalError: fatal } = JSON.parse(line) as Event;
    if (error ?? fatal) read.errors.push(JSON.stringify(error ?? fatal).slice(0, 1_000));
    if (scenario) readScenario(scenario.recorder, read);
  }
  return read;
}

interface Reading {
  readonly findings: Finding[];
  passed: number;
  readonly operations: Set<string>;
  readonly served: Set<string>;
}

/** A scenario that was skipped has recorded nothing. */
function readScenario({ cases = {}, checks = {}, interactions = {} }: Partial<Recorder>, read: Reading): void {
  for (const [id, { value }] of Object.entries(cases)) {
    const operation = `${value.method} ${value.path}`;
    const interaction = interactions[id];
    const status = interaction?.response?.status_code ?? 0;
    if (status !== 405) read.operations.add(operation);
    if (status >= 200 && status < 400) read.served.add(operation);
    for (const { name: check, status: outcome, failure_info: info } of checks[id] ?? []) {
      if (outcome === 'success') read.passed += 1;
      if (outcome !== 'failure') continue;
      const answer = textOf(interaction?.response?.content);
      read.findings.push({ operation, check, status, answer, message: info?.failure.message ?? '', request: requestOf(interaction) });
    }
  }
}

function requestOf(interaction: Interaction | undefined): string {
  if (!interaction) return 'nothing';
  const { method, uri, body } = interaction.request;
  return `${method} ${uri} ${textOf(body).slice(0, REQUEST_BYTES)}`;
}

function textOf(content: Base64 | null | undefined): string {
  return content ? Buffer.from(content.$base64, 'base64').toString() : '';
}
