import { describe, expect, test } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { createStore, type Entry, type Stores } from '../../kube/store.ts';
import type { Written } from '../ledger.ts';
import { dataTemplateBinding } from './data-template.ts';

const NOW = 1_000_000;
const later: [string, number][] = [];
const bindingOf = (stores: Stores) =>
  dataTemplateBinding({ stores, lookLater: (_, ...look) => void later.push(look), now: () => NOW });

function storesOf(kind: FollowedKind, ...entries: readonly Entry[]): Stores {
  const store = createStore();
  for (const each of entries) store.put(kind, each);
  return store;
}

function entry(kind: FollowedKind, name: string, spec: object, status: object = {}): Entry {
  const identity = { namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' };
  const metadata = { ...identity, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { ...identity, object: { apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec, status } };
}
const claim = (name: string, template: object): Entry => entry(KINDS.dataClaim, name, { template });
const template = (status: object = {}): Entry => entry(KINDS.dataTemplate, 'nodes', {}, status);

describe('the claims of a template', () => {
  const here = claim('here', { name: 'nodes', namespace: 'metal' });
  const unsaid = claim('unsaid', { name: 'nodes' });
  const elsewhere = claim('elsewhere', { name: 'nodes', namespace: 'other' });
  const stores = storesOf(KINDS.dataClaim, here, unsaid, elsewhere);
  const concernedBy = (one: Entry) => [...bindingOf(stores).concerned(KINDS.dataClaim, one, stores)];

  test('are those of its namespace that name it; one that names another namespace is ignored', () => {
    expect(bindingOf(stores).observe(template(), stores, { written: undefined, now: 0 })).toMatchObject({
      claims: [{ name: 'here' }, { name: 'unsaid' }],
      counts: { claims: 2, data: 0 },
    });
    expect(concernedBy(here)).toEqual(['metal/nodes']);
    expect(concernedBy(unsaid)).toEqual(['metal/nodes']);
    expect(concernedBy(elsewhere)).toEqual([]);
  });
});

describe('the indexes in the status of a template', () => {
  const dataAt = (index: number): Entry =>
    entry(KINDS.data, `nodes-${index}`, { index, claim: { name: `claim-${index}` }, template: { name: 'nodes' } });
  const stores = storesOf(KINDS.data, ...Array.from({ length: 600 }, (_, at) => dataAt(599 - at)));
  const lowest = Array.from({ length: 512 }, (_, index) => ({ name: `claim-${index}`, index }));
  const viewOf = (status: object | undefined) =>
    ({ namespace: 'metal', name: 'nodes', shown: { ...(status && { status }) } }) as unknown as EntityView;

  test('are the lowest 512 of more, and stay as they are while the template is paused', async () => {
    const object = readObject(template({ indexes: [{ name: 'old', index: 0 }] }).object);
    const complete = (view: EntityView) =>
      bindingOf(stores).complete?.({ view, object, written: undefined, kube: {} as never, stores });
    expect(await complete(viewOf({}))).toMatchObject({ status: { indexes: lowest } });
    expect(await complete(viewOf(undefined))).toMatchObject({ status: { indexes: [{ name: 'old', index: 0 }] } });
  });

  test('are written again when they differ, many of them not at once', () => {
    const written = { at: NOW - 500 } as Written;
    const isStale = (status: object, at: Written) => bindingOf(stores).isStale?.(template(status), at, stores);
    expect(isStale({ indexes: lowest }, written)).toBe(false);
    expect(isStale({}, written)).toBe(false);
    expect(later).toEqual([['metal/nodes', 524]]);
    expect(isStale({}, { ...written, at: NOW - 1_100 })).toBe(true);
  });
});
