// Creates elements. Strings become text, never markup.

/**
 * @param {string} name
 * @param {Record<string, unknown>} attributes `onclick` and the like take a function; true sets an attribute without a value, false and undefined set none
 * @param {...(Node | string | undefined)} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice('on'.length), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

let labels = 0;

/** A label, its field, and an optional hint. */
export function labelled(text, field, hint) {
  labels += 1;
  field.id = `field-${labels}`;
  const about = hint ? element('span', { class: 'hint', id: `hint-${labels}` }, hint) : undefined;
  if (about) field.setAttribute('aria-describedby', about.id);
  return element('div', { class: 'field' }, element('label', { for: field.id }, text), field, about);
}
