/**
 * Patches in force: id by name, with date, reason, and when it may be removed; CONTRIBUTING.md describes how patches
 * are added and removed.
 */
export const PATCHES = {
  /**
   * Added 2026-11-26: a host requests its slot with a signal, without an activity, and shows nothing new for ten
   * seconds instead of two. It may go when no run of a host is older, and with it the choice in `slot-messages.ts`.
   */
  slotsBySignal: '2026-11-26-slots-by-signal',
  /**
   * Added 2026-11-26: a run that waits is continued as new when its history is long, also when nothing has changed. It
   * may go when no run is older.
   */
  boundedWaits: '2026-11-26-bounded-waits',
  /**
   * Added 2026-11-27: a run that was reset looks whether an operation that it cancels still exists, because Temporal
   * tells the end of the operation only to the run that was there before the reset. It may go when no run is older.
   */
  lostOperations: '2026-11-27-lost-operations',
} as const;
