import type { IndexedDataSeen, TemplateSnapshot } from '../../domain/data-template/snapshot.ts';

export const aTemplate = (given: Partial<TemplateSnapshot> = {}): TemplateSnapshot => ({
  namespace: 'metal3',
  name: 'nodes',
  uid: 'template-uid',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-08-21T00:00:00Z',
  paused: false,
  claims: [],
  settled: [],
  data: [],
  ...given,
});

/** The Metal3Data of a claim. */
export const someData = (index: number, claim: string, given: Partial<IndexedDataSeen> = {}): IndexedDataSeen => ({
  name: `nodes-${index}`,
  index,
  claim,
  deleting: false,
  held: true,
  ...given,
});
