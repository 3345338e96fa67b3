/**
 * Bounds of a document in a user's Secret; `docs/security.md` has their table. A text of the size of a Secret takes
 * about a second of a thread's CPU at worst.
 */
export const DOCUMENT_LIMITS = {
  /** Bytes of the text: those that a Secret can have. */
  bytes: 1024 * 1024,
  /** Tokens of YAML: scalars, indicators, blanks, line breaks. */
  tokens: 200_000,
  /** Collections, keys and scalars, with those that aliases and merge keys repeat. */
  values: 50_000,
  /** Characters of all keys and scalars, with those that aliases and merge keys repeat. */
  characters: 1024 * 1024,
  /** Collections within each other. */
  depth: 100,
  /** Milliseconds for one text. Only a thread that gets no CPU takes that long. */
  milliseconds: 30_000,
  /** Megabytes of a thread that reads: several times what the worst text needs. */
  heapMb: 256,
} as const;
