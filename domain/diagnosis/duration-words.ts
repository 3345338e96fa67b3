import type { SeenUsual } from './sight.ts';

/** `3 h 5 min`, `12 min`, `40 s`: the two largest units. */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `usually less than 20 min, as assumed` */
export const usualWords = (usual: SeenUsual): string =>
  `usually less than ${durationWords(usual.usualMs)}, as ${sourceOf(usual)}`;

function sourceOf({ count, isMeasured, model }: SeenUsual): string {
  if (isMeasured) return `measured ${timesWords(count)} on hardware '${model}'`;
  return count === 0 ? 'assumed' : `assumed: measured only ${timesWords(count)} on hardware '${model}'`;
}

const timesWords = (count: number): string => (count === 1 ? 'once' : `${count} times`);
