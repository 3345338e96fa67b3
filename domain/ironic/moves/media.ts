/** A virtual drive as it is, as it is thought to be and as it is to be. */
export interface Drive {
  /** Something is in it; Ironic does not tell what. */
  readonly inserted: boolean;
  /** What we put in last, '' for nothing. */
  readonly attached: string;
  /** '' for nothing; null: only look. */
  readonly wanted: string | null;
  /** What Ironic was asked for last, and has ended. */
  readonly asked: 'attach' | 'detach' | null;
}

/** What is to be done with a drive, one change at a time. `failed`: what was asked for did not happen. */
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
  // What we did not put in is replaced without being taken out first.
  return attached === '' ? 'attach' : 'detach';
}
