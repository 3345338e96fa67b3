import { describe, expect, test } from 'vitest';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Entry, type Stores } from '../../kube/store.ts';
import { dataTemplateBinding } from './data-template.ts';

function storesOf(...claims: readonly Entry[]): Stores {
  const store = createStore();
  for (const each of claims) store.put(KINDS.dataClaim, each);
  return store;
}

function entry(kind: FollowedKind, name: string, spec: object): Entry {
  const identity = { namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' };
  const metadata = { ...identity, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { ...identity, object: { apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec } };
}
const claim = (name: string, template: object): Entry => entry(KINDS.dataClaim, name, { template });

describe('the claims of a template', () => {
  const here = claim('here', { name: 'nodes', namespace: 'metal' });
  const unsaid = claim('unsaid', { name: 'nodes' });
  const elsewhere = claim('elsewhere', { name: 'nodes', namespace: 'other' });
  const stores = storesOf(here, unsaid, elsewhere);
  const concernedBy = (one: Entry) => [...dataTemplateBinding.concerned(KINDS.dataClaim, one, stores)];

  test('are those of its namespace that name it; one that names another namespace is ignored', () => {
    const template = entry(KINDS.dataTemplate, 'nodes', {});
    expect(dataTemplateBinding.observe(template, stores, { written: undefined, now: 0 })).toMatchObject({
      claims: [{ name: 'here' }, { name: 'unsaid' }],
      settled: [],
    });
    expect(concernedBy(here)).toEqual(['metal/nodes']);
    expect(concernedBy(unsaid)).toEqual(['metal/nodes']);
    expect(concernedBy(elsewhere)).toEqual([]);
  });
});
