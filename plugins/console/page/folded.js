// What one sees of a name, and can type: fields hold no lines, pages show one space where there are several, and some characters are not seen at all.

/** @param {string} name @returns {string} in composed form; empty if nothing of it is seen */
export const folded = (name) =>
  name
    .normalize()
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
