import type { Finding } from './diagnosis.ts';
import type { SeenHost } from './sight.ts';

/** What the run calls the host itself, and a budget that hosts have in their own annotations. */
const OWN = 'the host';
const OWN_BUDGET = 'that say so themselves';

/** Kinds from which a host inherits windows and budgets. */
const KINDS = ['Namespace', 'Cluster', 'Metal3Machine', 'Machine.machine.openshift.io', 'Machine.cluster.k8s.io'];

/**
 * The finding, with those of the objects in `said` that its words name: `Cluster metal/prod`, as the annotations of the
 * host have it. Anyone who may change the host can write there, so no other kind and no other namespace counts.
 */
export function withHolders(
  found: Finding | undefined,
  host: SeenHost | undefined,
  said: (annotations: SeenHost['annotations']) => readonly { readonly of: string }[],
): Finding | undefined {
  if (found === undefined || host === undefined) return found;
  const parts = found.evidence[0].words.split(/[,:;]/);
  const isNamed = (of: string): boolean =>
    parts.some((part) => part.endsWith(` ${of}`) || (of === OWN && part.endsWith(OWN_BUDGET)));
  const objects = said(host.annotations).flatMap(({ of }) => (isNamed(of) ? argumentFor(of, host) : []));
  return { ...found, objects: [...new Set(objects)] };
}

/** The object as kubectl takes it, `cluster/prod`. */
function argumentFor(of: string, host: SeenHost): readonly string[] {
  if (of === OWN) return [`bmh/${host.name}`];
  const [, kind = '', place, name = ''] = /^(\S+) (?:([^/\s]+)\/)?([a-z0-9.-]+)$/.exec(of) ?? [];
  const isOurs = kind === 'Namespace' ? name === host.namespace : place === host.namespace;
  return isOurs && KINDS.includes(kind) ? [`${kind.toLowerCase()}/${name}`] : [];
}
