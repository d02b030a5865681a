// Every command has a help with an example that parses, and completes in the shells that are here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { test } from 'uvu';
import type { Command, Group, Surroundings } from '../../command/command.ts';
import { COMMANDS, GROUPS } from '../../command/commands.ts';
import { createProgram } from '../../command/program.ts';
import { root } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';
import { skipWithout } from '../system.ts';

const ALL = [
  ...COMMANDS.map((command) => ({ words: [command.name], command })),
  ...GROUPS.flatMap(({ name, commands }) => commands.map((command) => ({ words: [name, command.name], command }))),
];

test('every command has words for its arguments and flags, and an example that parses', async () => {
  assert.ok(ALL.length >= 60, `${ALL.length}`);
  for (const { words, command } of ALL) {
    const name = words.join(' ');
    assert.ok(command.example.startsWith(`gatehouse ${name}`), `${name}: ${command.example}`);
    for (const [, about] of command.args ?? []) assert.match(about, /^\S.{3,}/, name);
    for (const { flags, about } of command.flags ?? []) assert.match(about, /^\S.{3,}([^.]|\.\.\.)$/, `${name} ${flags}`);
    let ran = 0;
    const run = () => {
      ran += 1;
    };
    const counted = { ...command, run };
    const group = words.length === 2 ? [{ name: words[0] as string, about: 'made up', commands: [counted] }] : [];
    await programOf(words.length === 1 ? [counted] : [], group).parseAsync(wordsOf(command.example).slice(1), { from: 'user' });
    assert.equal(ran, 1, name);
  }
});

const programOf = (commands: readonly Command[], groups: readonly Group[]) =>
  createProgram({ version: '0', commands, groups, surroundings: () => ({}) as Surroundings });

/** Splits as a shell does, as far as the examples need it. */
const wordsOf = (line: string): string[] => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string));

test('the help of every command shows its example', () => {
  for (const { words, command } of ALL) {
    const program = programOf(COMMANDS, GROUPS);
    let text = '';
    const write = (part: string) => {
      text += part;
    };
    const parser = words.reduce((above, word) => above.commands.find((each) => each.name() === word) ?? above, program);
    parser.configureOutput({ writeOut: write });
    assert.throws(() => program.parse([...words, '--help'], { from: 'user' }), CommanderError);
    assert.ok(text.includes(`Example:\n  $ ${command.example}`), text);
  }
});

test('a word that is wrong or missing is told with what helps where it stands', () => {
  for (const [line, told] of [
    ['kye', /\n\(gatehouse --help lists the commands\)\n$/],
    ['key maek', /\n\(gatehouse key --help lists the commands\)\n$/],
    ['key create', /\n\(for example: gatehouse key create aes-.*; gatehouse key create --help tells more\)\n$/],
    ['whoami --jsno', /\n\(for example: gatehouse whoami; gatehouse whoami --help tells more\)\n$/],
  ] as const) {
    const program = programOf(COMMANDS, GROUPS);
    let text = '';
    const writeErr = (part: string) => {
      text += part;
    };
    for (const parser of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) parser.configureOutput({ writeErr });
    assert.throws(() => program.parse(line.split(' '), { from: 'user' }), CommanderError);
    assert.match(text, told);
  }
});

/** A folder with the command for the PATH of a shell. */
function installed(): string {
  const folder = temporaryFolder();
  const main = join(root, 'command/main.ts');
  writeFileSync(join(folder, 'gatehouse'), `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${main}' "$@"\n`);
  chmodSync(join(folder, 'gatehouse'), 0o700);
  return folder;
}

const folder = installed();
test.after(() => rmSync(folder, { recursive: true }));

function run(shell: string, args: readonly string[], script: string, given: readonly string[] = []) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, HOME: home };
  // The first word after a script is its name; fish has none.
  const words = shell === 'zsh' ? ['zsh', ...given] : given;
  return spawnSync(shell, [...args, script, ...words], { env, cwd: home, encoding: 'utf8', timeout: 120_000 });
}

/** As Tab does it: the function that is registered for the command is called with the words of the line. */
const IN_BASH = `source <(gatehouse complete bash)
complete_at() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=()
  $(complete -p gatehouse | sed 's/.*-F \\([^ ]*\\).*/\\1/') gatehouse "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  printf '%s\\n' "\${COMPREPLY[@]}"; echo ---
}
complete_at gatehouse k
complete_at gatehouse key enc
complete_at gatehouse key list --al
complete_at gatehouse key mac counter --alg H`;

if (!skipWithout('bash'))
  test('bash completes groups, commands, flags and choices', () => {
    const { stdout, stderr } = run('bash', ['-c'], IN_BASH);
    const answers = stdout.split('---\n').map((part) => part.trim().split(/\s+/));
    assert.ok(answers[0]?.includes('key'), stdout + stderr);
    assert.ok(answers[1]?.includes('encrypt'), stdout + stderr);
    assert.ok(answers[2]?.includes('--algorithm'), stdout + stderr);
    assert.ok(answers[3]?.includes('HS256') && answers[3]?.includes('HS512'), stdout + stderr);
  });

/** What is typed before Tab, and the word that the shell makes of it alone. */
const COMPLETED: Readonly<Record<string, string>> = {
  'gatehouse k': 'key',
  'gatehouse key enc': 'encrypt',
  'gatehouse cluster-role revoke-tokens x --y': '--yes',
  'gatehouse key list --al': '--algorithm',
  'gatehouse key mac counter --alg HS5': 'HS512',
};

/** The line editor of zsh on a terminal: after each Tab, Ctrl-T writes down the line that it has made. */
const IN_ZSH = `zmodload zsh/zpty
zpty tab 'TERM=dumb zsh -f -i'
zpty -w tab 'autoload -Uz compinit; compinit -u; source <(gatehouse complete zsh); note() { print -r -- "$BUFFER" >> lines; BUFFER= }; zle -N note; bindkey "^T" note'
for words in "$@"; do zpty -n -w tab "$words"$'\t\x14'; done
zpty -w tab exit
while zpty -r tab text; do :; done
cat lines`;

if (!skipWithout('zsh'))
  test('zsh completes groups, commands, flags and choices when Tab is pressed', () => {
    const { stdout, stderr } = run('zsh', ['-f', '-c'], IN_ZSH, Object.keys(COMPLETED));
    const made = Object.entries(COMPLETED).map(([line, word]) => `${line.replace(/\S+$/, '')}${word}`);
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim()),
      made,
      stderr,
    );
  });

if (!skipWithout('fish'))
  test('fish completes groups, commands, flags and choices, and says what each is for', () => {
    const script = 'gatehouse complete fish | source; for line in $argv; complete -C $line; echo ---; end';
    const { stdout, stderr } = run('fish', ['-c'], script, Object.keys(COMPLETED));
    const words = stdout.split('---\n').map((part) => part.trim().split('\t')[0]);
    assert.deepEqual(words, [...Object.values(COMPLETED), ''], stderr);
    assert.match(stdout, /^encrypt\tEncrypt a file or standard input of any length$/m);
  });

test('what every shell asks for is answered by the command itself', () => {
  const ask = (words: string) => run('sh', ['-c'], `gatehouse complete -- ${words}`).stdout;
  assert.match(ask('se'), /^secret-id\b/m);
  assert.match(ask('se'), /^session\b/m);
  assert.match(ask('key dec'), /^decrypt\b/m);
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(run('sh', ['-c'], `gatehouse complete ${shell}`).stdout, /gatehouse complete --/, shell);
});

test.run();
