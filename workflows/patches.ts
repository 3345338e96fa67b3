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
  /**
   * Added 2026-11-27: a rejected step is held without a policy too; a place in one budget is none in another, and is
   * kept until the image is deployed; a window that opens late is found; what has begun does not wait for a window. It
   * may go when no run of a host is older, and with it `stepBefore` and each `isOlder` in `domain/host/`.
   */
  heldSteps: '2026-11-27-held-steps',
  /**
   * Added 2026-11-27: a deployment goes on when its host names other data. It may go when no run of a host is older, and
   * with it `namesSameData`.
   */
  keptDeployments: '2026-11-27-kept-deployments',
  /**
   * Added 2026-11-27: a host that is paused, in quarantine or parked is listed as waiting for a person. It may go when
   * no run of a host is older, and with it `listedBefore`.
   */
  listedHolds: '2026-11-27-listed-holds',
  /**
   * Added 2026-11-27: a host whose run was lost keeps its place between two attempts only in the budgets in which it
   * has it, and waits for the answer. It may go when no run of a host is older, and with it `placeAskedBefore`.
   */
  forgottenPlaces: '2026-11-27-forgotten-places',
  /**
   * Added 2026-11-27: a machine whose host is missing in a snapshot of a restarted bridge looks at that host before it
   * searches for another one. It may go when no run of a machine is older.
   */
  lastHosts: '2026-11-27-last-hosts',
} as const;
