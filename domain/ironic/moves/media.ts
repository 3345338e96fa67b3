/** The observed, last known and desired state of a virtual drive. */
export interface Drive {
  /** A medium is inserted; Ironic does not report which. */
  readonly inserted: boolean;
  /** URL that we inserted last, '' for none. */
  readonly attached: string;
  /** '' for none; null: only read the drive. */
  readonly desired: string | null;
  /** The last request to Ironic, which has ended. */
  readonly requested: 'attach' | 'detach' | null;
}

/** The next change of a drive. `failed`: the last request had no effect. */
export function mediaMove({ inserted, attached, desired, requested }: Drive): 'attach' | 'detach' | 'done' | 'failed' {
  if (desired === null) return 'done';
  if (desired === '') {
    if (!inserted) return 'done';
    return requested === 'detach' ? 'failed' : 'detach';
  }
  if (requested === 'attach') return inserted ? 'done' : 'failed';
  if (!inserted) return 'attach';
  if (desired === attached) return 'done';
  if (requested === 'detach') return 'failed';
  // A medium that we did not insert is replaced without ejecting it first.
  return attached === '' ? 'attach' : 'detach';
}
