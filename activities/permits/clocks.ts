/** The two clocks of a process, in milliseconds. Where a guest is suspended, the second may stand still. */
export interface Clocks {
  readonly wall: () => number;
  readonly monotonic: () => number;
}

export const PROCESS_CLOCKS: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** What both clocks showed at one time. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
}

export const readClocks = ({ wall, monotonic }: Clocks): ClockReading => ({ wall: wall(), monotonic: monotonic() });

/**
 * Milliseconds that have passed since the moment, by the clock that shows more. A wall clock that was set back shows
 * that it was changed, so the time counts as long.
 */
export function passedSince(then: ClockReading, clocks: Clocks): number {
  const now = readClocks(clocks);
  const wall = now.wall - then.wall;
  return wall < -1 ? Number.POSITIVE_INFINITY : Math.max(wall, now.monotonic - then.monotonic);
}
