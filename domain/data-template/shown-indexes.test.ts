import { describe, expect, test } from 'vitest';
import { begin } from '../allocation/memory.ts';
import { templateEntity } from './entity.ts';
import { absorb } from './memory.ts';
import type { IndexedDataSeen, TemplateSnapshot } from './snapshot.ts';

const aTemplate = (data: readonly IndexedDataSeen[]): TemplateSnapshot => ({
  namespace: 'metal3',
  name: 'nodes',
  uid: 'template-uid',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-08-21T00:00:00Z',
  paused: false,
  claims: [],
  settled: [],
  data,
});
const someData = (index: number): IndexedDataSeen => ({
  name: `nodes-${index}`,
  index,
  claim: `claim-${index}`,
  deleting: false,
  held: true,
});

describe('the indexes in the status of a Metal3DataTemplate', () => {
  test('are the lowest 512 of more', () => {
    const data = Array.from({ length: 600 }, (_, at) => someData(599 - at));
    const lowest = Array.from({ length: 512 }, (_, index) => ({ name: `claim-${index}`, index }));
    expect(templateEntity.show(begin(aTemplate(data))).status).toEqual({ indexes: lowest });
  });

  test('lack that of a Metal3Data as soon as it is gone', () => {
    const memory = begin(aTemplate([someData(0), someData(1)]));
    const after = absorb(memory, aTemplate([someData(1)]));
    expect(templateEntity.show(after).status).toEqual({ indexes: [{ name: 'claim-1', index: 1 }] });
    expect(templateEntity.show(absorb(after, aTemplate([]))).status).toEqual({});
  });
});
