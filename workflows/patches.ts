/**
 * Patches in force: id by name, with when it was added, why, and when it may go; CONTRIBUTING.md describes how a patch comes
 * and goes. None yet: nothing is older than the recordings.
 */
export const PATCHES = {} as const;
