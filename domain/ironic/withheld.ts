/** Why a request was not sent at the moment when it had its turn: the values of a label in metrics, with their meaning. */
export const WITHHELD_REASONS = {
  'not asked': 'the object does not ask for it (any more), or nobody has approved it',
  changed: 'the object asks for it with other settings than the request had; it is made anew with these',
  'no mark': 'the mark, without which nothing is sent, can not be written to the object: a policy forbids it',
  'too old':
    'too much time has passed since the object was read: the process was paused, or the API server is slow; the object is read again',
} as const;
export type WithheldReason = keyof typeof WITHHELD_REASONS;
