// The interactive page: reads the OpenAPI document, lists and searches its operations, with the session of the browser.
import { element } from './element.js';
import { operationView } from './operation.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];
const byId = (id) => document.getElementById(id);

/** Every operation, once for each of its tags, in the order of the document. */
function operationsOf({ paths = {} }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).flatMap((method) => {
      const tags = item[method].tags ?? ['other'];
      return tags.map((tag) => ({ ...item[method], method, path, tag, parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])] }));
    }),
  );
}

/** @returns the groups with their operations, each with the words that the search compares */
function list(root) {
  const operations = operationsOf(root);
  const named = root.tags ?? [];
  const names = [...new Set([...named.map(({ name }) => name), ...operations.map(({ tag }) => tag)])];
  return names.map((name) => {
    const own = operations.filter(({ tag }) => tag === name).map((operation) => ({ view: operationView(root, operation), words: wordsOf(operation) }));
    const about = named.find((tag) => tag.name === name)?.description;
    const heading = element('summary', {}, element('h2', {}, name), element('span', { class: 'hint' }, `${own.length}`));
    const view = element('details', { class: 'group', id: name, open: true }, heading, about ? element('p', { class: 'hint' }, about) : undefined);
    view.append(...own.map((each) => each.view));
    return { view, operations: own };
  });
}

function wordsOf({ method, path, summary, operationId, tag }) {
  return [method, path, summary, operationId, tag].join(' ').toLowerCase();
}

/** Shows only the operations that contain all of the words. */
function filter(groups, text) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { view, operations } of groups) {
    for (const each of operations) each.view.hidden = !wanted.every((word) => each.words.includes(word));
    const left = operations.filter((each) => !each.view.hidden).length;
    view.hidden = left === 0;
    if (wanted.length > 0) view.open = true;
    found += left;
  }
  byId('found').textContent = found === 1 ? '1 operation' : `${found} operations`;
}

/** Opens the group or the operation that the fragment of the address names. */
function follow() {
  const target = byId(decoded(location.hash.slice(1)));
  if (!target?.matches('details')) return;
  target.closest('.group').open = true;
  target.open = true;
  target.scrollIntoView();
  target.querySelector('summary').focus({ preventScroll: true });
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function address({ id }) {
  return `#${id.split('/').map(encodeURIComponent).join('/')}`;
}

function signInAddress() {
  return `/sign-in?next=${encodeURIComponent(location.pathname + location.hash)}&ended=yes`;
}

async function read(url) {
  const answer = await fetch(url, { credentials: 'same-origin' });
  if (answer.status === 401) return location.replace(signInAddress());
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.json();
}

function say(text) {
  byId('alert').textContent = text;
  byId('alert').hidden = text === '';
}

async function start() {
  const [caller, root] = await Promise.all([read('/interactive-docs/session'), read('/interactive-docs/openapi.json')]);
  if (!caller || !root) return;
  byId('who').textContent = `${caller.username} in realm ${caller.realm}`;
  byId('title').textContent = root.info?.title ?? '';
  byId('version').textContent = root.info?.version ?? '';
  byId('description').textContent = root.info?.description ?? '';
  const groups = list(root);
  byId('groups').replaceChildren(...groups.map(({ view }) => view));
  byId('search').addEventListener('input', ({ target }) => filter(groups, target.value));
  filter(groups, byId('search').value);
  // Put the operation that the user opens into the address, so that the address can be shared.
  byId('groups').addEventListener('click', ({ target }) => {
    const operation = target.closest('.operation > summary')?.parentElement;
    if (operation && !operation.open) history.replaceState(null, '', address(operation));
  });
  addEventListener('hashchange', follow);
  follow();
  byId('groups').removeAttribute('aria-busy');
}

start().catch((error) => say(`The page cannot load the OpenAPI document: ${error.message}. Please reload the page.`));
