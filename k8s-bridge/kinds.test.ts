import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { customResources } from '../api/crds.ts';
import { definitionName, isConverted } from '../api/custom-resource.ts';
import { ALL_KINDS, ENTITY_KINDS } from '../api/kinds.ts';
import { AT_WEBHOOKS } from '../domain/kinds.ts';
import { crdOf } from '../kube/paths.ts';
import { createStore } from '../kube/store.ts';
import { bridgeConfig, readConfig } from '../platform/config/config.ts';
import { bindingsIn } from './kinds.ts';

const nothing = (): never => {
  throw new Error('nothing is asked of it');
};

test('every kind that declares a workflow has a binding, and its workflow is in the bundle', () => {
  const bindings = bindingsIn({
    config: readConfig(bridgeConfig, { MACHINE_API: 'all' }),
    kube: { patch: nothing },
    stores: createStore(),
    lookLater: nothing,
    tally: { looked: nothing, lookFailed: nothing, shown: nothing, told: nothing, forgotten: nothing },
    steering: { noteHost: nothing, noteMachine: nothing, noteMachineApi: () => nothing },
    newsOf: nothing,
    driftOf: nothing,
    now: nothing,
  });
  expect(bindings.map(({ followed }) => followed.kind).toSorted()).toEqual(
    ENTITY_KINDS.map(({ kind }) => kind).toSorted(),
  );
  const bundled = readFileSync(new URL('../workflows/index.ts', import.meta.url), 'utf8');
  expect(ENTITY_KINDS.filter(({ workflow }) => !new RegExp(`\\b${workflow.type}\\b`).test(bundled))).toEqual([]);
});

test('every kind that declares an older version has it in its CRD and a conversion, and no other kind has', () => {
  const older = ALL_KINDS.filter(({ olderApiVersion }) => olderApiVersion !== undefined).map(crdOf);
  expect(customResources.filter(isConverted).map(definitionName).toSorted()).toEqual(older.toSorted());
  const converted = AT_WEBHOOKS.filter(({ conversion }) => conversion !== undefined).map(({ of }) => crdOf(of));
  expect(converted.toSorted()).toEqual(older.toSorted());
});
