// The version counter of an object, which moves with every change of its row and its grants.

export const objectCounter = (id: string): string => `object:${id}`;
