/**
 * Patches in force: id by name, with date, reason, and when it may be removed; CONTRIBUTING.md describes how patches
 * are added and removed. None is in force (docs/decisions/0028).
 */
export const PATCHES = {} as const;
