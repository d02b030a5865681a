// The documents of a base: the list, additions with their progress, deletions.
import { say } from './ask.js';

const element = (id) => document.getElementById(id);
let bases = {};

/** Loads the bases again, and keeps the chosen one. */
export async function loadBases() {
  const response = await fetch('/documentary_bases', { cache: 'no-store' });
  if (!response.ok) return say('The documents cannot be listed.');
  bases = (await response.json()).documentary_bases;
  const select = element('base');
  const chosen = select.value;
  select.replaceChildren(...Object.keys(bases).map((name) => new Option(name, name, false, name === chosen)));
  showReferences();
}

export function showReferences() {
  const names = bases[element('base').value] ?? [];
  const items = names.map((name) => {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Delete';
    button.setAttribute('aria-label', `Delete ${name}`);
    button.addEventListener('click', () => remove(name));
    item.append(name, button);
    return item;
  });
  element('references').replaceChildren(...items);
}

async function remove(reference) {
  say('');
  const body = new URLSearchParams({ db: element('base').value, reference });
  const response = await fetch('/delete_reference', { method: 'DELETE', body });
  if (!response.ok) say((await response.json().catch(() => ({}))).message ?? 'The document cannot be deleted.');
  await loadBases();
}

/** One after the other: reading a document takes a whole core. @param {Iterable<File>} files */
export async function addAll(files) {
  const base = element('base').value;
  const rows = Array.from(files, (file) => ({ file, row: rowOf(file.name) }));
  for (const { file, row } of rows) await add(base, file, row);
  await loadBases();
}

function rowOf(name) {
  const item = document.createElement('li');
  const progress = document.createElement('progress');
  const state = document.createElement('span');
  progress.max = 1;
  progress.value = 0;
  progress.setAttribute('aria-label', name);
  state.textContent = 'waits';
  item.append(name, progress, state);
  element('uploads').append(item);
  return { item, progress, state };
}

/** `fetch` does not tell how much was sent. */
function add(db, file, { item, progress, state }) {
  const form = new FormData();
  form.append('db', db);
  form.append('reference', file.name.replace(/\.(epub|pdf|docx)$/i, ''));
  form.append('file', file);
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const end = (text, isDone) => {
      progress.remove();
      state.textContent = text;
      item.className = isDone ? 'done' : 'failed';
      resolve();
    };
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      progress.value = loaded / total;
      state.textContent = loaded < total ? 'is sent' : 'is read';
      // From here on nobody knows how long it takes.
      if (loaded === total) progress.removeAttribute('value');
    });
    request.addEventListener('load', () => end(request.status === 200 ? 'added' : messageOf(request), request.status === 200));
    request.addEventListener('error', () => end('the server cannot be reached', false));
    request.open('POST', '/add_reference');
    request.send(form);
  });
}

function messageOf({ status, responseText }) {
  try {
    return JSON.parse(responseText).message;
  } catch {
    return `the server answered ${status}`;
  }
}
