/** The observed, last known and desired state of a virtual drive. */
export interface Drive {
  /** A medium is inserted; Ironic does not report which. */
  readonly inserted: boolean;
  /** URL that we inserted last, '' for none. */
  readonly attached: string;
  /** '' for none; null: only read the drive. */
  readonly wanted: string | null;
  /** The last request to Ironic, which has ended. */
  readonly asked: 'attach' | 'detach' | null;
}

/** The next change of a drive. `failed`: the last request had no effect. */
export function mediaMove({ inserted, attached, wanted, asked }: Drive): 'attach' | 'detach' | 'done' | 'failed' {
  if (wanted === null) return 'done';
  if (wanted === '') {
    if (!inserted) return 'done';
    return asked === 'detach' ? 'failed' : 'detach';
  }
  if (asked === 'attach') return inserted ? 'done' : 'failed';
  if (!inserted) return 'attach';
  if (wanted === attached) return 'done';
  if (asked === 'detach') return 'failed';
  // A medium that we did not insert is replaced without ejecting it first.
  return attached === '' ? 'attach' : 'detach';
}
