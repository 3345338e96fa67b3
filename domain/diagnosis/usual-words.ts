import { durationWords } from './duration-words.ts';
import type { SeenUsual } from './sight.ts';

/** `usually less than 20 min, as assumed` */
export const usualWords = (usual: SeenUsual): string =>
  `usually less than ${durationWords(usual.usualMs)}, as ${sourceOf(usual)}`;

function sourceOf({ count, isMeasured, model }: SeenUsual): string {
  if (isMeasured) return `measured ${count} times on hardware '${model}'`;
  return count === 0 ? 'assumed' : `assumed: measured only ${count} times on hardware '${model}'`;
}
