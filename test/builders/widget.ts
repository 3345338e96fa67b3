import type { EntityKind } from '../../api/kind.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import type { Binding } from '../../k8s-bridge/binding.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
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

export const PALETTE: FollowedKind = { kind: 'Palette', apiVersion: 'example.com/v1', plural: 'palettes' };

/** Of widgets with a colour, which look at the palette of their name. */
export const colouredBinding: Binding = {
  ...widgetBinding,
  related: [PALETTE],
  *concerned(_kind, { namespace, name }) {
    yield `${namespace}/${name}`;
  },
  observe({ object, ...identity }, stores, { unwritten }) {
    const { colour } = object as { readonly colour: unknown };
    if (typeof colour !== 'string') return { problems: ['colour: no text'] };
    const palette = stores.get(PALETTE, `${identity.namespace}/${identity.name}`) !== undefined;
    const seen = { ...identityOf(identity), colour, palette, ...unwritten?.annotations };
    return seen;
  },
  essence: (seen) => ({ ...seen, resourceVersion: '' }),
};

export function colouredWidget(name: string, colour: unknown = 'red', change: Partial<Entry> = {}): Entry {
  const identity = { namespace: 'n', name, uid: `${name}-uid`, resourceVersion: '1', ...change };
  return { ...identity, object: { metadata: identity, colour } };
}
