/** What a run that does not go on by itself waits for; absent: it is busy, or waits for nothing. */
export type WaitsFor =
  /** The server, its BMC, or Ironic. */
  | 'hardware'
  /** The same, for much longer than is usual. */
  | 'stuck'
  /** A person who corrects what is wrong. */
  | 'person'
  /** The time of the next try. */
  | 'retry'
  /** A window in which it may go on. */
  | 'window'
  /** Its turn in a budget of steps. */
  | 'budget'
  /** A slot in Ironic. */
  | 'slot'
  /** A host that can be chosen. */
  | 'host';

/** What lists of runs show of an object; none of it is secret, because Temporal keeps it unencrypted. */
export interface Listed {
  /** '' is shown as nothing. */
  readonly state: string;
  /** Class of the error that is shown, in the words of the API. */
  readonly error?: string;
  /** The object that uses this one, with its namespace. */
  readonly consumer?: string;
  readonly waitsFor?: WaitsFor;
}

/**
 * The longest namespace and name, with a slash between them. Temporal refuses more than 2,048 bytes, and with them the
 * whole workflow task, again and again; no text of this length has more.
 */
const LONGEST = 63 + 1 + 253;

/** Users may write texts of any length, for example as the name of a consumer: the lists show their beginning. */
export const shortened = ({ error, consumer, ...rest }: Listed): Listed => ({
  ...rest,
  ...(error !== undefined && { error: error.slice(0, LONGEST) }),
  ...(consumer !== undefined && { consumer: consumer.slice(0, LONGEST) }),
});
