// Runs a module of gatehouse with the Node that its dependencies pin, as the launcher and the command do. Plain JavaScript for any Node from version 18.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forgetVariables } from '../kernel/config/forget-variables.mjs';
import { whenLeftByNpm } from '../kernel/left-by-npm.mjs';
import { nodeFlags } from './node-flags.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Larger pieces of memory return to the system when they are freed. By default glibc raises this threshold, up to 32 MiB, after it has freed a large piece. */
const MMAP_FROM_BYTES = '1048576';
/** Without the pinned Node, one that is at least as new may do. */
const OLDEST = 24;

/**
 * @param {string} module path of the module
 * @param {readonly string[]} args
 * @param {{ isServer: boolean, isReplacing: boolean, cache?: string | undefined }} how whether it replaces this process where that is possible; `cache` is a folder for compiled code
 * @returns {void}
 */
export function runPinned(module, args, { isServer, isReplacing, cache }) {
  const node = pinnedNode();
  const { UV_THREADPOOL_SIZE = String(availableParallelism() + 4), MALLOC_MMAP_THRESHOLD_ = MMAP_FROM_BYTES } = process.env;
  const env = { ...process.env, UV_THREADPOOL_SIZE, MALLOC_MMAP_THRESHOLD_ };
  if (cache !== undefined) env.NODE_COMPILE_CACHE ??= cache;
  const flags = [...nodeFlags({ isServer }), module, ...args];
  if (isReplacing) become(node, flags, env);
  // The closing of the IPC channel tells the server that this launcher has ended without forwarding a signal.
  const child = spawn(node, flags, {
    cwd: process.cwd(),
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  if (isServer) {
    // The server has its own copy. After reading the configuration it tells which other variables held secrets.
    forgetVariables(Object.keys(process.env).filter((name) => name.startsWith('GATEHOUSE_')));
    child.on('message', (message) => Array.isArray(message?.forget) && forgetVariables(message.forget));
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
  // As a flag and main.ts do for the server, which this Node may not know: by default one opens a debugger, the other ends the launcher, and the server with it.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => {});
  whenLeftByNpm(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/** @returns the Node of the package `node`, which lies in a folder above: in a clone, in a global and in a local installation */
function pinnedNode() {
  const file = join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  for (let folder = ROOT; ; folder = dirname(folder)) {
    const path = join(folder, file);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) break;
  }
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return process.execPath;
  throw new Error(
    `gatehouse needs Node ${OLDEST}: the package "node", which brings it, is not complete; install gatehouse again, with scripts of packages allowed`,
  );
}

/** Replaces this process by the other, so that no idle launcher is left beside it. Returns where the system or this Node (before 22.15) cannot do that. */
function become(node, flags, env) {
  if (process.platform === 'win32' || !process.execve) return;
  process.execve(node, [node, ...flags], env);
}
