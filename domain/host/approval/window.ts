import { Cron } from 'croner';
import { BOUNDS } from '../../bounds/bounds.ts';

/** A time that comes again and again, such as each Saturday from 22:00 for four hours. */
export interface Window {
  readonly starts: Cron;
  readonly durationMs: number;
}

const FORM = 'five cron fields, a duration such as 4h or 90m, and a time zone, such as 0 22 * * 6 4h Europe/Berlin';
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000 };
const LONGEST_HOURS = 168;
const CRON_FIELDS = 5;

/**
 * The window in the annotation `temper/approval-window`; without a time zone that is UTC. A text: what is wrong with
 * it.
 */
export function readWindow(value: string): Window | string {
  const { characters } = BOUNDS.window;
  if (value.length > characters) return `it is longer than ${characters} characters`;
  const words = value.trim().split(/\s+/);
  const [duration = '', timezone = 'UTC', ...rest] = words.slice(CRON_FIELDS);
  const [, number = '', unit = ''] = /^(\d{1,4})([mh])$/.exec(duration) ?? [];
  const durationMs = Number(number) * (UNITS[unit] ?? 0);
  if (durationMs === 0 || rest.length > 0) return `it is not ${FORM}`;
  if (durationMs > LONGEST_HOURS * 3_600_000) return `it is longer than ${LONGEST_HOURS}h`;
  if (!isTimeZone(timezone)) return `${JSON.stringify(timezone)} is no time zone`;
  const pattern = words.slice(0, CRON_FIELDS).join(' ');
  try {
    return { starts: new Cron(pattern, { mode: '5-part', timezone }), durationMs };
  } catch {
    return `${JSON.stringify(pattern)} is no cron pattern of five fields`;
  }
}

/** When the window is open the next time: `now` (ms since the epoch) if it is open; undefined if it never is. */
export function opensAt({ starts, durationMs }: Window, now: number): number | undefined {
  const start = starts.nextRun(new Date(now - durationMs))?.getTime();
  return start === undefined ? undefined : Math.max(start, now);
}

/** When all windows are open at once; or a time before which they are not, because later ones were not looked at. */
export type Opening = { readonly opensAt: number } | { readonly closedUntil: number };

/** Eight years: 29 February may be that far away. */
const AHEAD_MS = 8 * 366 * 24 * 3_600_000;
/** Openings that are looked at: those of two years, of windows that are open in turn each day. A look takes 0.2 ms. */
const LOOKS = 1_500;

/** When all windows are open at once. undefined: one of them is never open. */
export function allOpenAt(windows: readonly Window[], now: number): Opening | undefined {
  let at = now;
  let openThen = 0;
  for (let look = 0; look < LOOKS && at <= now + AHEAD_MS; look++) {
    const window = windows[look % windows.length];
    const opens = window === undefined ? at : opensAt(window, at);
    if (opens === undefined) return undefined;
    openThen = opens === at ? openThen + 1 : 1;
    at = opens;
    if (openThen >= windows.length) return { opensAt: at };
  }
  return { closedUntil: at };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
