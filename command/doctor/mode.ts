// The mode of a file as chmod takes it.

/** @param mode of `stat` @returns its last nine bits in octal: `640` */
export const octalMode = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0');
