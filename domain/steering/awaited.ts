/** What a host waits for before a step that needs an approval, a window or a place in a budget. */
export interface Awaited {
  readonly for: 'approval' | 'window' | 'budget';
  /** What an approval of the step names. */
  readonly code: string;
  /** What would be done, after "to". */
  readonly does: string;
  /** For an approval: the objects that ask for it. For windows and budgets: their texts, each with its object. */
  readonly of: readonly string[];
  /** Only for windows: when they are open next, ms since the epoch; absent if they never are. */
  readonly until?: number;
  /** When `until` was found, ms since the epoch. */
  readonly foundAt?: number;
  /** Only for windows: they are not open together before `until`, when the host looks for a later time. */
  readonly isClosedUntil?: true;
}
