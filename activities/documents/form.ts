import { tooDeep } from './anchors.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import { TextError } from './problem.ts';

/** Throws for JSON that is too deep or has too many values, or numbers beyond a float. It calls itself nowhere. */
export function checkForm(root: unknown): void {
  let level = [root];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DOCUMENT_LIMITS.depth + 1) throw tooDeep();
    values += level.length;
    if (values > DOCUMENT_LIMITS.values) throw new TextError(`it has more than ${DOCUMENT_LIMITS.values} values`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) throw new TextError('a number is too large');
      if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) next.push(each);
    }
    level = next;
  }
}
