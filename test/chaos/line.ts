/**
 * The part of the past that the objects in the API server know. When etcd is restored, everything since the backup is
 * removed from it.
 */
export interface Line {
  restored(from: number, at: number): void;
  /** Whether the objects of now know what happened then. */
  knows(then: number): boolean;
}

export function createLine(): Line {
  /** Beginning and end of what is known. */
  let known: readonly (readonly [number, number])[] = [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]];
  return {
    restored(from, at) {
      known = [
        ...known.filter(([begin]) => begin < from).map(([begin, end]) => [begin, Math.min(end, from)] as const),
        [at, Number.POSITIVE_INFINITY],
      ];
    },
    knows: (then) => known.some(([begin, end]) => begin <= then && then <= end),
  };
}
