import { BOUNDS } from '../../../domain/bounds/bounds.ts';

const MIB = 1024 * 1024;

/** Path of the conversion webhook, for all kinds. */
export const CONVERT_PATH = '/convert';

/** Limits for anybody who reaches a bridge's webhooks. Tests use smaller ones. */
export interface Limits {
  /** Milliseconds that a connection stays open without a request. */
  readonly idleMs: number;
  /** Milliseconds from the head of a request until the client has read the answer. */
  readonly answerMs: number;
  /** Milliseconds for which a server that ends still answers, so that clients end their connections. */
  readonly drainMs: number;
  readonly connections: number;
  /** The largest body of a validation or of defaults. */
  readonly bytesToValidate: number;
  /** The largest body of a conversion. */
  readonly bytesToConvert: number;
  /** Larger bodies are answered by a thread of their own, so that others do not wait for them. */
  readonly bytesOfSmall: number;
  /** Bytes of bodies whose answers were not read yet, separately for small and for large ones. */
  readonly bytesHeld: number;
  /** Milliseconds that a thread may take for one answer; then it is replaced. */
  readonly threadMs: { readonly small: number; readonly large: number };
}

export const LIMITS: Limits = {
  // The API server closes its connections after 90 s without a request (IdleConnTimeout of Go's transport). A
  // request that is sent while the bridge closes its connection fails, so the API server must be the one that closes.
  idleMs: 120_000,
  // The API server waits 30 s at most, for admission and for conversion.
  answerMs: 30_000,
  // Longer than the pause between two requests on a busy connection.
  drainMs: 2_000,
  connections: 1_000,
  // The API server accepts objects of 3 MiB, and a review of a change contains the object twice.
  bytesToValidate: BOUNDS.review.characters,
  // The API server converts all objects of a list at once: these are 10,000 objects of 6 KiB.
  bytesToConvert: BOUNDS.conversion.characters,
  bytesOfSmall: MIB,
  bytesHeld: 128 * MIB,
  threadMs: { small: 5_000, large: 25_000 },
};
