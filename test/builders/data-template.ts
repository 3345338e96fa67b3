import type { IndexedDataSeen, TemplateSnapshot } from '../../domain/data-template/snapshot.ts';

type Given = Partial<Omit<TemplateSnapshot, 'free' | 'counts'>> & {
  /** Number of claims that have their Metal3Data. */
  readonly settled?: number;
};

/** A template whose snapshot has all its claims and Metal3Data. */
export function aTemplate({ settled = 0, claims = [], data = [], ...given }: Given = {}): TemplateSnapshot {
  const taken = new Set(data.map(({ index }) => index));
  const stays = claims.filter(({ deleting }) => !deleting);
  return {
    namespace: 'metal3',
    name: 'nodes',
    uid: 'template-uid',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-08-21T00:00:00Z',
    paused: false,
    claims,
    data,
    free: Array.from({ length: 100 }, (_, index) => index).filter((index) => !taken.has(index)),
    counts: {
      claims: settled + stays.length,
      data: data.length,
      paused: stays.filter(({ paused }) => paused).length,
    },
    ...given,
  };
}

/** The Metal3Data of a claim. */
export const someData = (index: number, claim: string, given: Partial<IndexedDataSeen> = {}): IndexedDataSeen => ({
  name: `nodes-${index}`,
  index,
  claim,
  deleting: false,
  hasFinalizer: true,
  ...given,
});
