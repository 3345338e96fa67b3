/** For files that do not test the duration of the fixture's operations: a tenth of upstream's times. */
export const QUICK_FIXTURE = { FIXTURE_TIME_SCALE: '0.1' } as const;

/** For files whose hosts are to request slots, as on Ironic, although each of them gets one. */
export const WITH_SLOTS = { FIXTURE_PROVISIONING_LIMIT: '10000' } as const;

/** The settings of the fixture lab's own bridge and workers, and the files that share them (`shareFixtureLab`). */
export const SHARED_SETTINGS = { ...QUICK_FIXTURE, LABEL_SWEEP_INTERVAL: '1s' } as const;
export const SHARING: readonly string[] = [
  'approval-rights',
  'approvals',
  'explain',
  'forged-messages',
  'machines',
  'monitoring',
  'node-reuse',
  'paused-cluster',
  'pools',
  'steered-machines',
];
