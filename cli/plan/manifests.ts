import { z } from 'zod';
import { maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import type { Kube } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { hostPath, type Named, objectPath } from '../../kube/paths.ts';
import { missingSecrets } from '../missing-secrets.ts';
import { createReading, readingOnce } from '../reading.ts';
import { applied, type PlannedManifest } from './applied.ts';
import { type PlannedHost, planFor } from './host.ts';
import { type PlannedMachine, planMachine } from './machine.ts';
import type { PlanRequest } from './options.ts';
import { MACHINE_KINDS } from './wished-machine.ts';

export type Planned = PlannedHost | PlannedMachine;

export interface Plans {
  readonly plans: readonly Planned[];
  /** Kind and name of what is not planned. */
  readonly others: readonly string[];
  /** The objects that could not be read, each with the reason. */
  readonly unread: readonly string[];
}

/** Plans the changes when the manifests are applied, or when their objects are deleted. */
export async function plansOf(
  manifests: readonly PlannedManifest[],
  { namespace, deleting }: Pick<PlanRequest, 'namespace' | 'deleting'>,
  kube: Kube,
  now: number,
): Promise<Plans> {
  const all = createReading(kube);
  const reading = readingOnce(all);
  const nameOf = ({ metadata }: PlannedManifest) => ({
    namespace: metadata.namespace ?? namespace,
    name: metadata.name,
  });
  /** A Machine of Cluster API has its host through its Metal3Machine. */
  const metal3MachineOf = (machine: PlannedManifest) => {
    const { name } = infrastructure.parse(machine).spec.infrastructureRef;
    return isOf(machine, KINDS.machine) && name ? { namespace: nameOf(machine).namespace, name } : undefined;
  };
  const isPlannedHere = (manifest: PlannedManifest): boolean => {
    const wanted = metal3MachineOf(manifest);
    return manifests.some((other) => {
      const { namespace: itsNamespace, name } = nameOf(other);
      return isOf(other, KINDS.metal3Machine) && name === wanted?.name && itsNamespace === wanted.namespace;
    });
  };
  const isSecretHere = ({ namespace: of, name }: Named): boolean =>
    manifests.some((other) => other.kind === 'Secret' && nameOf(other).namespace === of && nameOf(other).name === name);
  const plan = async (manifest: PlannedManifest): Promise<Planned | undefined> => {
    const at = nameOf(manifest);
    const words = `${at.namespace}/${at.name}`;
    if (isOf(manifest, KINDS.host)) {
      const live = await kube.find(hostPath(at));
      const wanted = applied(live, manifest, at.namespace);
      const absent = await missingSecrets(all, wanted);
      const missing = absent.map(({ name }) => name).filter((name) => !isSecretHere({ ...at, name }));
      return planFor(words, live, wanted, deleting, now, missing);
    }
    const its = metal3MachineOf(manifest);
    if (its !== undefined) {
      const live = await kube.find(objectPath(KINDS.metal3Machine, its));
      const machine = `${its.namespace}/${its.name}`;
      return planMachine({ reading, kind: KINDS.metal3Machine, machine, live, wanted: live, deleting, now });
    }
    const kind = MACHINE_KINDS.find((each) => isOf(manifest, each));
    if (kind === undefined) return undefined;
    const live = await kube.find(objectPath(kind, at));
    return planMachine({
      reading,
      kind,
      machine: words,
      live,
      wanted: applied(live, manifest, at.namespace),
      deleting,
      now,
    });
  };
  const asked = manifests.filter((manifest) => manifest.kind !== 'Secret' && !isPlannedHere(manifest));
  const plans = await Promise.all(asked.map(plan));
  return {
    plans: plans.filter((each) => each !== undefined),
    others: asked.flatMap(({ kind, metadata }, index) =>
      plans[index] === undefined ? [`${kind} ${metadata.name}`] : [],
    ),
    unread: all.unread,
  };
}

const infrastructure = z.object({
  spec: orEmpty({ infrastructureRef: orEmpty({ name: maybeText }) }),
});

/** True for a manifest of this kind, in any version of its group. */
const isOf = (manifest: PlannedManifest, { apiVersion, kind, apiKind = kind }: FollowedKind): boolean =>
  manifest.kind === apiKind && groupOf(manifest.apiVersion) === groupOf(apiVersion);
