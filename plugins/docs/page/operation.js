// One operation of the document: a line that expands to its parameters, its answers, and the form to try it.
import { element } from './element.js';
import { membersOf, resolved, typeOf } from './schema.js';
import { tryIt } from './try-it.js';

const DEEPEST = 6;

/** @param operation of the document, with `method`, `path` and the `tag` it is listed under */
export function operationView(root, operation) {
  const { method, path, tag, operationId, summary = '', deprecated } = operation;
  const line = element(
    'summary',
    {},
    element('span', { class: `method ${method}` }, method.toUpperCase()),
    element('code', { class: 'path' }, path),
    element('span', { class: 'about' }, deprecated ? `${summary} (deprecated)` : summary),
  );
  const view = element('details', { class: 'operation', id: `${tag}/${operationId}` }, line);
  let isFilled = false;
  view.addEventListener('toggle', () => {
    if (!view.open) return;
    // Built only when the user opens it: the document has many operations.
    if (!isFilled) view.append(element('div', { class: 'inside' }, ...inside(root, operation)));
    isFilled = true;
  });
  return view;
}

function inside(root, operation) {
  const { description, security = [], requestBody, responses = {} } = operation;
  const body = resolved(root, requestBody);
  return [
    ...(description ? [element('p', {}, description)] : []),
    element('p', { class: 'hint' }, authorisation(root, security)),
    ...(body.content ? [element('h4', {}, body.required ? 'Body' : 'Body (optional)'), ...contentView(root, body.content)] : []),
    element('h4', {}, 'Answers'),
    element('dl', { class: 'answers' }, ...Object.entries(responses).flatMap(([status, each]) => answerView(root, status, resolved(root, each)))),
    element('h4', {}, 'Try it'),
    ...tryIt(root, operation),
  ];
}

function authorisation(root, security) {
  if (security.length === 0) return 'No authentication needed.';
  const known = root.components?.securitySchemes ?? {};
  const names = security.flatMap((each) => Object.keys(each)).map((name) => inWords(name, known[name]));
  return `Authenticate with ${names.join(', or ')}.`;
}

function inWords(name, { type, scheme, in: where, name: field } = {}) {
  if (type === 'http') return `Authorization: ${scheme.charAt(0).toUpperCase()}${scheme.slice(1)}`;
  if (type === 'apiKey') return where === 'cookie' ? `the session cookie ${field}` : `the header ${field}`;
  return type === 'mutualTLS' ? 'a client certificate' : name;
}

function answerView(root, status, { description = '', content = {} }) {
  // All refusals share one body, so it is not repeated for each of them.
  const isProblem = Object.values(content).every(({ schema }) => schema?.$ref?.endsWith('/Problem'));
  return [element('dt', {}, status), element('dd', {}, description, ...(isProblem ? [] : contentView(root, content)))];
}

function contentView(root, content) {
  return Object.entries(content).flatMap(([type, { schema }]) => [
    element('p', { class: 'hint' }, schema ? `${type}: ${typeOf(root, schema)}` : type),
    schema && membersView(root, schema),
  ]);
}

function membersView(root, schema, depth = 0) {
  const members = depth > DEEPEST ? [] : membersOf(root, schema);
  if (members.length === 0) return undefined;
  return element('ul', { class: 'members' }, ...members.map((each) => memberView(root, each, depth)));
}

function memberView(root, { name, type, required, about, limits, schema }, depth) {
  const words = [type, required ? 'required' : '', limits].filter(Boolean).join(', ');
  return element(
    'li',
    {},
    element('code', {}, name),
    ` ${words}`,
    ...(about ? [element('span', { class: 'hint' }, ` ${about}`)] : []),
    membersView(root, schema, depth + 1),
  );
}
