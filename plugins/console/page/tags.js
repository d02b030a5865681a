// Changes the tags of a key.
import { ask, part } from './api.js';
import { askIn } from './dialog.js';
import { namesField, namesIn } from './names.js';
import { tell } from './notice.js';

/** @param {import('./managed-object.js').ManagedObject} object @param {() => unknown} again */
export async function editTags({ id, tags }, again) {
  const work = async (/** @type {FormData} */ data) => {
    const wanted = [...new Set(namesIn(data, 'tags'))];
    const path = `/v1/crypto/keys/${part(id)}/tags`;
    const added = wanted.filter((tag) => !tags.includes(tag));
    const removed = tags.filter((tag) => !wanted.includes(tag));
    if (added.length > 0) await ask('POST', path, { tags: added });
    if (removed.length > 0) await ask('DELETE', path, { tags: removed });
    tell('The tags are changed.');
  };
  const body = namesField('tags', 'Tags', { id: 'edited-tags', names: tags, maxlength: 4_096 });
  if (await askIn({ title: 'Change the tags', body, verb: 'Save', work })) await again();
}
