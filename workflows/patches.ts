/** What runs that were begun before it do otherwise: CONTRIBUTING.md tells how a patch comes and goes. */
export const PATCHES = {
  /**
   * 2026-11-22. A Node that is linked is looked for again until Cluster API has found it: a timer where there was none. May
   * go when no run of metal3MachineWorkflow is older.
   */
  nodeLookedForAgain: '2026-11-22-node-looked-for-again',
} as const;
