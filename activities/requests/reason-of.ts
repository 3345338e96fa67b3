/** The innermost message of a refused update: what the workflow said. */
export const reasonOf = (error: Error): string =>
  error.cause instanceof Error ? reasonOf(error.cause) : error.message;
