/**
 * Patches in force: id by name, with date, reason, and when it may be removed; CONTRIBUTING.md describes how patches
 * are added and removed.
 */
export const PATCHES = {
  /**
   * 2026-11-23. The ticket of a slot is drawn at random; before, it was the time of the workflow, which can be another
   * one when the run is replayed. May be removed when no run of hostWorkflow is older.
   */
  drawnTickets: '2026-11-23-drawn-tickets',
  /**
   * 2026-11-23. An operation that somebody terminates is begun again; before, it had failed. May be removed when no run
   * of hostWorkflow is older.
   */
  endedOperations: '2026-11-23-ended-operations',
  /**
   * 2026-11-23. A preparation that was begun, and whose end is not known, is done again; before, it counted as done. May
   * be removed when no run of hostWorkflow is older.
   */
  unsurePreparations: '2026-11-23-unsure-preparations',
  /**
   * 2026-11-23. An action that was refused because its object does not ask for it, and that the run has cancelled for the
   * same reason, is cancelled; before, the run began anew, with a Warning. May be removed when no run is older.
   */
  refusedAfterCancelling: '2026-11-23-refused-after-cancelling',
  /**
   * 2026-11-24. A host asks for a slot, and returns it, within a workflow task; before, by an activity and by a signal of
   * the workflow. May be removed when no run of hostWorkflow is older.
   */
  slotMessagesInTask: '2026-11-24-slot-messages-in-task',
  /**
   * 2026-11-24. A view is handed to the bridge within the workflow task, and the state of a host that waits for a moment
   * is not listed; before, each view was an activity of the bridge, and each state was listed. May be removed when no
   * run is older.
   */
  fewerEvents: '2026-11-24-fewer-events',
  /**
   * 2026-11-24. A machine claims the host whose consumer it is before it names it in its annotation, and again when an
   * older release wrote the consumer; it shows its user data once it has a host, and the namespaces of its Secrets.
   * Before, it only named the host, and showed user data before. May be removed when no run of metal3MachineWorkflow is
   * older.
   */
  formerClaims: '2026-11-24-former-claims',
  /**
   * 2026-11-24. Nothing is written to a paused Metal3DataTemplate; before, its finalizer and its indexes. May be removed
   * when no run of dataTemplateWorkflow is older.
   */
  pausedTemplates: '2026-11-24-paused-templates',
  /**
   * 2026-11-24. A view is published when the generation of the object has moved during an action; before, after the
   * action. May be removed when no run is older.
   */
  shownWhileActing: '2026-11-24-shown-while-acting',
  /**
   * 2026-11-25. Each view is an activity of the bridge; for a day the first one of a task was handed over within the task,
   * and runs could not be replayed after their worker was killed (docs/decisions/0024). May be removed, with what it
   * replaces, when no run is older.
   */
  viewsByActivity: '2026-11-25-views-by-activity',
} as const;
