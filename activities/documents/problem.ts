/** What is wrong with a text, and where; nothing of its content. */
export interface TextProblem {
  readonly reason: string;
  /** From 1; absent where the text as a whole is meant. */
  readonly line?: number;
  readonly column?: number;
}

/** Thrown while a text is read; `offset` in the text. */
export class TextError extends Error {
  override readonly name = 'TextError';
  readonly offset: number | undefined;
  constructor(reason: string, offset?: number) {
    super(reason);
    this.offset = offset;
  }
}

export function problemAt(text: string, reason: string, offset: number | undefined): TextProblem {
  if (offset === undefined) return { reason };
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  return { reason, line: before.split('\n').length, column: before.length - lastBreak };
}
