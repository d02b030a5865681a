// The page of the AI runner: asks documents, adds them, summarises, translates, and shows the models.
import { answers, say } from './ask.js';
import { addAll, loadBases, showReferences } from './documents.js';

const element = (id) => document.getElementById(id);

answers(
  'ask',
  'answer',
  ({ result, sources }) => {
    showSources(sources);
    return result.join('\n\n');
  },
  (form) => {
    form.set('sources', 'true');
    element('sources').hidden = true;
  },
);
answers('summarize', 'summary', ({ summary }) => summary);
answers('translate', 'translation', ({ translation }) => translation);

/** Each opens at the passage that was read. */
function showSources(sources) {
  const passages = sources.map(({ reference, chapter, page, text }) => {
    const details = document.createElement('details');
    const summary = document.createElement('summary');
    summary.textContent = [reference, chapter, page && `page ${page}`].filter(Boolean).join(' · ');
    const passage = document.createElement('blockquote');
    passage.textContent = text;
    passage.dir = 'auto';
    details.append(summary, passage);
    return details;
  });
  element('sources').replaceChildren(...passages);
  element('sources').hidden = passages.length === 0;
}

element('base').addEventListener('change', showReferences);

const files = element('files');
files.addEventListener('change', async () => {
  const chosen = [...files.files];
  files.value = '';
  await addAll(chosen);
});
const drop = element('drop');
// Without this the browser would open a file that misses the field.
for (const target of [drop, document]) for (const name of ['dragover', 'drop']) target.addEventListener(name, (event) => event.preventDefault());
drop.addEventListener('dragover', () => drop.classList.add('over'));
for (const name of ['dragleave', 'drop']) drop.addEventListener(name, () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => addAll([...event.dataTransfer.files]));

async function loadModels() {
  const response = await fetch('/models', { cache: 'no-store' });
  if (!response.ok) return;
  const { models } = await response.json();
  const items = models.map(({ id, task, engine, languages, state, missing, problem, memory_mb: memoryMb }) => {
    const item = document.createElement('li');
    const told = [engine === 'http' ? 'on a server elsewhere' : state, memoryMb > 0 && `${memoryMb} MiB`, problem, ...missing].filter(Boolean);
    item.textContent = `${id}: ${[task, ...languages].join(' ')}, ${told.join(', ')}`;
    return item;
  });
  if (items.length > 0) return element('models').replaceChildren(...items);
  const none = document.createElement('li');
  none.textContent = 'None: answers and summaries are sentences of your texts, and nothing is translated.';
  element('models').replaceChildren(none);
}

const unreachable = () => say('The server cannot be reached.');
/** Of a button that could do nothing: nothing else on the page tells it. */
addEventListener('unhandledrejection', unreachable);

await Promise.all([loadBases(), loadModels()]).catch(unreachable);
