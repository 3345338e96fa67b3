/** Resource versions of one cluster are ever longer decimal numbers, too large to be read as such. */
export const isOlderVersion = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);
