const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
/** Sticky, so that no long number is searched for its unit again and again. */
const TERM = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Milliseconds of a Go duration (`30s`, `1m30s`, `1.5h`, `0`); undefined for an invalid one. */
export function goDuration(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0;
  if (rest === '') return undefined;
  let total = 0;
  for (let at = 0; at < rest.length; at = TERM.lastIndex) {
    TERM.lastIndex = at;
    const [, count, unit = ''] = TERM.exec(rest) ?? [];
    if (count === undefined) return undefined;
    total += Number(count) * (UNITS[unit] ?? 0);
  }
  return sign === '-' ? -total : total;
}

/** Whole seconds in Go's format: `10m0s`, `1h0m0s`, `30s`. */
export function secondsAsGoDuration(seconds: number): string {
  const sign = seconds < 0 ? '-' : '';
  const all = Math.abs(seconds);
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
  const shown = [hours > 0 ? `${hours}h` : '', all >= 60 ? `${minutes}m` : '', `${all % 60}s`];
  return sign + shown.join('');
}
