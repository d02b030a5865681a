// Changes the tags of a key.
import { ask, part } from './api.js';
import { askIn } from './dialog.js';
import { textField, textIn } from './form.js';
import { tell } from './notice.js';

/** @param {import('./managed-object.js').ManagedObject} object @param {() => unknown} again */
export async function editTags({ id, tags }, again) {
  const work = async (/** @type {FormData} */ data) => {
    const wanted = [
      ...new Set(
        textIn(data, 'tags')
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      ),
    ];
    const path = `/v1/crypto/keys/${part(id)}/tags`;
    const added = wanted.filter((tag) => !tags.includes(tag));
    const removed = tags.filter((tag) => !wanted.includes(tag));
    if (added.length > 0) await ask('POST', path, { tags: added });
    if (removed.length > 0) await ask('DELETE', path, { tags: removed });
    tell('The tags are changed.');
  };
  const body = textField('tags', 'Tags', { id: 'edited-tags', value: tags.join(', '), maxlength: 4_096, hint: 'Separated by commas.' });
  if (await askIn({ title: 'Change the tags', body, verb: 'Save', work })) await again();
}
