/**
 * Patches in force: id by name, with date, reason, and when it may be removed; CONTRIBUTING.md describes how patches
 * are added and removed. There are none: all recordings are of the current code.
 */
export const PATCHES = {} as const;
