import { BeyondBound } from '../../../domain/bounds/beyond-bound.ts';
import { BOUNDS } from '../../../domain/bounds/bounds.ts';
import { boundedJson, type JsonBound } from '../../../domain/bounds/json.ts';
import { IronicError } from './errors.ts';

/** What Ironic, its machines and their BMCs may answer, by the connections of the request. */
const BY_POOL = {
  lists: BOUNDS.ironicList,
  reads: BOUNDS.ironicAnswer,
  changes: BOUNDS.ironicAnswer,
} as const satisfies Readonly<Record<string, JsonBound>>;
type Pool = keyof typeof BY_POOL;

type Asked = { readonly doing: string; readonly pool?: Pool };

export const answerBound = (pool: Pool = 'reads'): JsonBound => BY_POOL[pool];

/** The value in an answer of Ironic; undefined for an empty one. */
export function answerJson(text: string, { doing, pool }: Asked): unknown {
  if (text === '') return undefined;
  try {
    return boundedJson(text, answerBound(pool));
  } catch (error) {
    throw unreadable(doing, error instanceof BeyondBound ? error.message : "Ironic's answer is not JSON");
  }
}

/** The error for an answer that the connection has ended at its bound; undefined for every other error. */
export function tooLarge(error: unknown, { doing, pool }: Asked): IronicError | undefined {
  const isTooLarge = error instanceof Error && 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  return isTooLarge ? unreadable(doing, new BeyondBound(answerBound(pool), 'characters').message) : undefined;
}

const unreadable = (doing: string, why: string): IronicError =>
  new IronicError({ type: 'IronicUnreadable', message: `can't ${doing}: ${why}` });
