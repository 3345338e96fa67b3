import { toSeconds } from './conditions.ts';

/** ` since 2026-01-01T00:00:00Z`, from ms since the epoch; '' when the time is not known. */
export const sinceInWords = (since: number | undefined): string =>
  since === undefined ? '' : ` since ${toSeconds(since)}`;
