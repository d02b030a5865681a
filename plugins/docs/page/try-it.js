// The form that tries an operation: a field for each parameter, the request, which uses the session of this page, and the answer.
import { bodyText } from './answer.js';
import { element, labelled } from './element.js';
import { curlOf, isBinary, requestOf } from './request.js';
import { exampleOf, resolved, typeOf } from './schema.js';

/** Headers for credentials other than the session; a field is shown if the operation accepts one of the schemes. */
const CREDENTIAL_HEADERS = [
  { name: 'Authorization', schemes: ['bearer', 'basic'], hint: 'replaces the session: Bearer or Basic, then the credential' },
  { name: 'X-App-Token', schemes: ['appToken', 'vaultToken'], hint: 'replaces the session: an app token' },
];

export function tryIt(root, operation) {
  const parameters = (operation.parameters ?? []).map((each) => resolved(root, each)).map((each) => ({ ...each, input: inputOf(root, each) }));
  const credentials = credentialsOf(operation);
  const more = element('textarea', { rows: 2, spellcheck: 'false', autocomplete: 'off' });
  const body = bodyFields(root, operation);
  const output = outputView();
  const entered = () => ({
    ...{ path: valuesOf(parameters, 'path'), query: valuesOf(parameters, 'query') },
    header: { ...valuesOf(parameters, 'header'), ...Object.fromEntries(credentials.map(({ name, input }) => [name, input.value.trim()])) },
    more: more.value,
    ...body.read(),
  });
  /** Shows an error if the entries cannot be sent. @returns the request, or undefined */
  const request = () => {
    try {
      return requestOf(operation, entered());
    } catch (error) {
      output.tell(error.message, true);
      return undefined;
    }
  };
  const form = element(
    'form',
    { class: 'try', 'aria-label': `Try ${operation.method.toUpperCase()} ${operation.path}`, onsubmit: (event) => void submit(event, request(), output) },
    ...parameters.map((each) => labelled(`${each.name} (${each.in}${each.required ? ', required' : ''})`, each.input, hintOf(root, each))),
    ...body.fields,
    element(
      'details',
      { class: 'headers' },
      element('summary', {}, 'Headers'),
      ...credentials.map(({ name, input, hint }) => labelled(name, input, hint)),
      labelled('More headers', more, 'name: value, one per line'),
    ),
    element('div', { class: 'buttons' }, element('button', { type: 'submit' }, 'Send'), copyButton(request)),
  );
  return [form, output.view];
}

function credentialsOf({ security = [] }) {
  const taken = new Set(security.flatMap((each) => Object.keys(each)));
  const fields = CREDENTIAL_HEADERS.filter(({ schemes }) => schemes.some((scheme) => taken.has(scheme)));
  return fields.map((each) => ({ ...each, input: element('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }) }));
}

function valuesOf(parameters, where) {
  return Object.fromEntries(parameters.filter((each) => each.in === where).map(({ name, input }) => [name, input.value]));
}

function inputOf(root, { schema = {}, required, example }) {
  const { enum: values, type } = resolved(root, schema);
  const choices = values ?? (type === 'boolean' ? [true, false] : undefined);
  if (choices) {
    const options = [...(required ? [] : ['']), ...choices].map((value) => element('option', {}, String(value)));
    return element('select', { required: required === true }, ...options);
  }
  return element('input', {
    required: required === true,
    value: example === undefined ? undefined : String(example),
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
}

function hintOf(root, { schema = {}, description }) {
  return [typeOf(root, schema), description].filter(Boolean).join(': ');
}

/** The fields for the body: its content type, an example to start from, and the text. */
function bodyFields(root, { requestBody }) {
  const content = resolved(root, requestBody).content ?? {};
  const types = Object.keys(content);
  if (types.length === 0) return { fields: [], read: () => ({ type: undefined, body: '' }) };
  const type = element('select', { onchange: () => refill() }, ...types.map((each) => element('option', { value: each }, each)));
  const example = element('select', { onchange: () => fill() });
  const text = element('textarea', { class: 'body', rows: 8, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'none' });
  const exampleField = labelled('Example', example);
  const label = labelled('Body', text, 'an empty body is not sent');
  const fill = () => {
    text.value = examplesOf(root, type.value, content[type.value]).get(example.value) ?? '';
  };
  const refill = () => {
    const names = [...examplesOf(root, type.value, content[type.value]).keys()];
    example.replaceChildren(...names.map((name) => element('option', { value: name }, name)));
    exampleField.hidden = names.length < 2;
    label.firstChild.textContent = isBinary(type.value) ? 'Body, in hexadecimal digits' : 'Body';
    fill();
  };
  const typeField = labelled('Content type', type);
  typeField.hidden = types.length < 2;
  refill();
  return { fields: [typeField, exampleField, label], read: () => ({ type: text.value.trim() === '' ? undefined : type.value, body: text.value }) };
}

/** Examples as text, by name: those of the document, or else one built from the schema. */
function examplesOf(root, type, { schema, example, examples = {} }) {
  const given = Object.entries(examples).map(([name, each]) => [name, resolved(root, each).value]);
  const all = given.length > 0 ? given : example !== undefined ? [['example', example]] : schema ? [['generated', exampleOf(root, schema)]] : [];
  const isJson = /json\b/.test(type);
  return new Map(all.map(([name, value]) => [name, typeof value === 'string' && !isJson ? value : JSON.stringify(value, null, 2)]));
}

async function submit(event, request, output) {
  event.preventDefault();
  const form = event.target;
  // Do not disable the button: that would take the focus away from it.
  if (request === undefined || form.getAttribute('aria-busy') === 'true') return;
  form.setAttribute('aria-busy', 'true');
  output.tell('Sending');
  const startedAt = performance.now();
  try {
    const { method, url, headers, body } = request;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }), cache: 'no-store', credentials: 'same-origin' });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    output.tell(`${answer.status} ${answer.statusText} in ${Math.round(performance.now() - startedAt)} ms, ${bytes.length} bytes`, !answer.ok);
    output.show(...answerView(answer, bytes));
  } catch (error) {
    output.tell(`No answer: ${error.message}`, true);
  } finally {
    form.removeAttribute('aria-busy');
  }
}

/** A status line that screen readers announce, and below it the answer, which they do not. */
function outputView() {
  const line = element('p', { class: 'status', role: 'status' });
  const below = element('div');
  return {
    view: element('div', { class: 'answer' }, line, below),
    tell(text, isRefusal = false) {
      line.textContent = text;
      line.classList.toggle('refused', isRefusal);
      below.replaceChildren();
    },
    show: (...nodes) => below.replaceChildren(...nodes),
  };
}

function answerView(answer, bytes) {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const body = bodyText(answer.headers.get('content-type') ?? '', bytes);
  return [
    ...(answer.redirected ? [element('p', {}, `from ${answer.url}`)] : []),
    element('details', {}, element('summary', {}, 'Response headers'), element('pre', { tabindex: '0' }, headers)),
    ...(body === '' ? [] : [element('pre', { tabindex: '0', class: 'answer-body', 'aria-label': 'Response body' }, body)]),
  ];
}

function copyButton(request) {
  const button = element('button', { type: 'button', class: 'plain' }, 'Copy as curl');
  const command = element('pre', { class: 'curl', tabindex: '0', hidden: true });
  const told = element('span', { role: 'status' });
  button.addEventListener('click', async () => {
    const made = request();
    if (made === undefined) return;
    command.textContent = curlOf(made, location.origin);
    command.hidden = false;
    // Some browsers and settings refuse this; then the user can select the command.
    told.textContent = await navigator.clipboard.writeText(command.textContent).then(
      () => 'Copied',
      () => 'Select the command to copy it',
    );
  });
  return element('div', { class: 'copy' }, button, told, command);
}
