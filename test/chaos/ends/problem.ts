/** What is not as it should be in the end. */
export interface Problem {
  /** Name of the host or machine. */
  readonly of: string;
  readonly what: string;
}

export const inWords = ({ of, what }: Problem): string => `${of}: ${what}`;
