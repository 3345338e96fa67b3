import { BeyondBound } from '../../bounds/beyond-bound.ts';
import { BOUNDS } from '../../bounds/bounds.ts';
import { isPutOff } from '../../entity/retry.ts';
import { same } from '../../same.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { actPass, type Pass, waitPass } from '../memory/pass.ts';
import type { MachineSnapshot } from '../memory/snapshot.ts';
import type { LabelOrder } from '../memory/step.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The prefixes in the annotation of a Metal3Cluster, or what is wrong with it. */
export function labelPrefixes(text: string): readonly string[] | { readonly problem: string } {
  const bound = BOUNDS.labelPrefixes;
  if (text.length > bound.characters) return { problem: new BeyondBound(bound, 'characters').message };
  const listed = text.split(',');
  if (listed.length > bound.values) return { problem: new BeyondBound(bound, 'values').message };
  const prefixes = listed.map((prefix) => prefix.trim()).filter((prefix) => prefix !== '');
  const invalid = prefixes.find((prefix) => !SUBDOMAIN.test(prefix) || prefix.length > 253);
  return invalid === undefined ? [...new Set(prefixes)].toSorted() : { problem: `invalid prefix (${invalid})` };
}

type Labels = Readonly<Record<string, string>>;

/** Labels `prefix/name` with one of these prefixes; never labels without a prefix. */
export function labelsWith(prefixes: readonly string[], labels: Labels): Labels {
  const wanted = new Set(prefixes);
  return Object.fromEntries(
    Object.entries(labels).filter(([key]) => {
      const [prefix = '', name, ...rest] = key.split('/');
      return rest.length === 0 && name !== undefined && name !== '' && wanted.has(prefix);
    }),
  );
}

/**
 * A patch that makes a Node's labels with these prefixes equal to those of its host; null removes. undefined when they
 * are equal.
 */
export function labelPatch(
  prefixes: readonly string[],
  wanted: Labels,
  present: Labels,
): Readonly<Record<string, string | null>> | undefined {
  const found = labelsWith(prefixes, present);
  const gone = Object.keys(found).filter((key) => wanted[key] === undefined);
  const changed = Object.entries(wanted).filter(([key, value]) => found[key] !== value);
  if (gone.length + changed.length === 0) return undefined;
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...Object.fromEntries(changed) };
}

/** The labels for the Node of a machine, or what is wrong with the prefixes; undefined when no labels are copied. */
export function labelOrder({
  cluster,
  metal3Cluster,
  host,
  owner,
}: Pick<MachineSnapshot, 'cluster' | 'metal3Cluster' | 'host' | 'owner'>):
  | LabelOrder
  | { readonly problem: string }
  | undefined {
  const text = metal3Cluster?.labelSyncPrefixes;
  const isPaused = host?.paused !== undefined || metal3Cluster?.paused === true;
  if (text === undefined || !owner?.nodeRef || !host || !cluster || isPaused) return undefined;
  const prefixes = labelPrefixes(text);
  if ('problem' in prefixes) return prefixes;
  return {
    cluster: { namespace: cluster.namespace, name: cluster.name },
    node: owner.nodeRef,
    prefixes,
    labels: labelsWith(prefixes, host.labels),
  };
}

/**
 * Copies labels from the host to the Node, never back: once after each change of the labels, the prefixes or the Node,
 * or when the Node is seen with other labels.
 */
export function syncLabels(memory: MachineMemory, now: number, rest: string): Pass {
  const { seen, synced, trouble } = memory;
  const order = labelOrder(seen);
  if (order === undefined) return waitPass(memory, rest);
  if ('problem' in order) {
    return waitPass(memory, `${rest}; labels are not copied: ${order.problem} on its Metal3Cluster`);
  }
  if (same(order, synced)) return waitPass(memory, rest);
  if (trouble?.action === 'sync labels' && isPutOff(trouble, now)) {
    return waitPass(memory, `${rest}; labels are not copied: ${trouble.message}`, trouble.until, trouble.message);
  }
  return actPass(memory, { name: 'sync labels', order });
}
