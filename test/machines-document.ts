// Draws every state machine of the sources: docs/machines.md, made from the machines themselves. `npm run machines` writes it.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyStateMachine, type AnyStateNode, StateMachine } from 'xstate';

const root = fileURLToPath(new URL('..', import.meta.url));
export const DOCUMENT = join(root, 'docs', 'machines.md');

const HEAD = `# State machines

Drawn from the code by \`npm run machines\`; a test fails where this page is stale. A word in brackets is a condition; conditions are tried from the top.
`;

export async function machinesDocument(): Promise<string> {
  const parts = [HEAD];
  for (const file of globSync('{kernel,kmip,crypto,jose,text,plugins,actors}/**/*.machine.ts', { cwd: root }).sort()) {
    const machines = Object.values((await import(join(root, file))) as Record<string, unknown>).filter((value) => value instanceof StateMachine);
    if (machines.length === 0) throw new Error(`${file}: exports no state machine`);
    for (const machine of machines) parts.push(section(file, machine as AnyStateMachine));
  }
  return parts.join('\n');
}

function section(file: string, machine: AnyStateMachine): string {
  const about = (readFileSync(join(root, file), 'utf8').split('\n')[0] as string).replace(/^\/\/ /, '');
  const lines = ['stateDiagram-v2', ...drawing(machine.root, 1)];
  return `## ${machine.id}\n\n${about} In [${file}](../${file}).\n\n\`\`\`mermaid\n${lines.join('\n')}\n\`\`\`\n`;
}

/** The states below a node, each with what leads out of it. */
export function drawing(node: AnyStateNode, depth: number): string[] {
  const pad = '    '.repeat(depth);
  const first = node.initial?.target?.[0];
  const lines = first && node.type === 'compound' ? [`${pad}[*] --> ${nameOf(first)}`] : [];
  for (const state of Object.values(node.states) as AnyStateNode[]) {
    if (Object.keys(state.states).length > 0) lines.push(`${pad}state ${nameOf(state)} {`, ...drawing(state, depth + 1), `${pad}}`);
    lines.push(...arrows(state).map((arrow) => pad + arrow));
    if (state.type === 'final') lines.push(`${pad}${nameOf(state)} --> [*]`);
  }
  return lines;
}

function arrows(state: AnyStateNode): string[] {
  const always = (state.always ?? []).map((transition) => ({ event: 'at once', transition }));
  const others = [...state.transitions].flatMap(([event, list]) => list.map((transition) => ({ event: eventName(event, state), transition })));
  return [...always, ...others].map(({ event, transition: { guard, target } }) => {
    // What changes no state is drawn as a loop.
    const to = target?.[0] ?? state;
    return `${nameOf(state)} --> ${nameOf(to)} : ${event}${guard === undefined ? '' : ` [${guardName(guard)}]`}`;
  });
}

/** Events that the machine sends to itself, in words. */
function eventName(event: string, state: AnyStateNode): string {
  const delay = /^xstate\.after\.(.+?)\./.exec(event)?.[1];
  if (delay !== undefined) return `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}`;
  if (event.startsWith('xstate.done.state.')) return 'done';
  const outcome = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event);
  if (!outcome) return event;
  const source = state.invoke.find(({ id }) => id === outcome[2])?.src;
  return `${typeof source === 'string' ? source : 'work'} ${outcome[1] === 'done' ? 'succeeds' : 'fails'}`;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  const { type, name } = guard as { type?: string; name?: string };
  return type ?? name ?? 'condition';
}

/** Distinct within the machine, and nothing that the drawing's language reads as its own. */
function nameOf(state: AnyStateNode): string {
  return state.path.join('_').replaceAll(/\W/g, '_');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(DOCUMENT, await machinesDocument());
