import type { EntityKind } from '../../api/kind.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import type { Binding } from '../../k8s-bridge/binding.ts';
import type { Entry } from '../../kube/store.ts';

/** A kind with nothing but a name, for tests of code that is the same for all kinds. */
export const WIDGET: EntityKind = {
  kind: 'Widget',
  apiVersion: 'example.com/v1',
  plural: 'widgets',
  workflow: { type: 'widgetWorkflow', controller: 'machines' },
};

export const widgetBinding: Binding = {
  followed: WIDGET,
  finalizer: 'widget.example.com',
  related: [],
  unreadableReason: 'InvalidWidget',
  reporterOf: () => ({ component: 'widgets', controller: 'widgets' }),
  concerned: () => [],
  observe: (entry) => identityOf(entry),
  essence: (seen) => seen.name,
};

export function aWidget(name: string, change: object = {}): Entry {
  const identity = { namespace: 'n', name, uid: `${name}-uid`, resourceVersion: '1' };
  return { ...identity, object: { metadata: { ...identity, ...change }, status: { colour: 'red' } } };
}
