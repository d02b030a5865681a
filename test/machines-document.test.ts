// The drawings of the state machines are those of the code, and the drawer knows every form of a transition.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { createMachine } from 'xstate';
import { DOCUMENT, drawing, machinesDocument } from './machines-document.ts';

test('docs/machines.md is what `npm run machines` writes', async () => {
  assert.equal(readFileSync(DOCUMENT, 'utf8'), await machinesDocument());
});

test('every machine is drawn, with every state, conditions, delays and work', async () => {
  const document = await machinesDocument();
  const files = globSync('{kernel,kmip,crypto,jose,text,plugins,actors}/**/*.machine.ts', { cwd: fileURLToPath(new URL('..', import.meta.url)) });
  assert.ok(files.length >= 2);
  for (const file of files) assert.ok(document.includes(`(../${file})`), file);
  for (const line of [
    '    [*] --> starting',
    '    starting --> running : start succeeds',
    '    starting --> failed : start fails [exhausted]',
    '    waiting --> starting : after backoff',
    '    running --> running : after window',
    '    running --> waiting : lost',
    '    stopped --> [*]',
    '    Authenticated --> [*]',
  ])
    assert.ok(document.split('\n').includes(line), line);
});

test('nested states, transitions at once, delays in numbers, and inline conditions', () => {
  const machine = createMachine({
    id: 'forms',
    initial: 'outer',
    states: {
      outer: {
        initial: 'first',
        onDone: 'over',
        states: { first: { after: { 50: 'last' }, on: { jump: { guard: () => true, target: '#forms.over' } } }, last: { type: 'final' } },
      },
      over: { always: { guard: 'allowed', target: 'end-of-all' } },
      'end-of-all': { type: 'final' },
    },
  });
  assert.deepEqual(drawing(machine.root, 0), [
    '[*] --> outer',
    'state outer {',
    '    [*] --> outer_first',
    '    outer_first --> over : jump [guard]',
    '    outer_first --> outer_last : after 50 ms',
    '    outer_last --> [*]',
    '}',
    'outer --> over : done',
    'over --> end_of_all : at once [allowed]',
    'end_of_all --> [*]',
  ]);
});

test.run();
