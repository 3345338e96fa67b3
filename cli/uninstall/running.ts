import { groupOf } from '../../domain/cluster-api/names.ts';
import { FOREIGN_API, FOREIGN_KINDS } from '../../domain/migration/foreign-kinds.ts';
import { OPERATORS, type Operator } from '../../domain/other-operators/operators.ts';
import { hasJustWritten, isDeployed, isLeading } from '../../domain/other-operators/signs.ts';
import type { Kube } from '../../kube/client.ts';
import { ifInstalled } from '../../kube/installed.ts';
import { KINDS } from '../../kube/kinds.ts';
import { listAll } from '../../kube/list-all.ts';
import { managedEntries } from '../../kube/objects/managed.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { leasesNamed } from '../../kube/other-operators.ts';
import { collectionPath, crdOf } from '../../kube/paths.ts';
import { METADATA_ONLY } from '../../kube/reflector.ts';
import { ALL_DEPLOYMENTS, deploymentSeen } from '../deployments.ts';

interface RunningOperator {
  readonly operator: Operator;
  /** What shows that it runs. */
  readonly sign: string;
}

/** The operators of Metal3 that run in the cluster, each once. Their finalizers are no business of ours. */
export async function runningOperators(kube: Kube, now: number): Promise<readonly RunningOperator[]> {
  const deployments = (await listAll(kube, ALL_DEPLOYMENTS)).map(deploymentSeen);
  const found = await Promise.all(
    OPERATORS.map(async (operator) => {
      const deployed = deployments.find((each) => isDeployed(operator, each));
      if (deployed !== undefined) return { operator, sign: `Deployment ${deployed.namespace}/${deployed.name}` };
      const held = (await leasesNamed(kube, operator.lease)).find((lease) => isLeading(operator, lease, now));
      if (held !== undefined) return { operator, sign: `Lease ${held.namespace}/${held.name}, held by ${held.holder}` };
      const written = await freshlyWritten(kube, operator, now);
      if (written === undefined) return undefined;
      return { operator, sign: `it has written the status of ${written} in the last five minutes` };
    }),
  );
  return found.filter((each) => each !== undefined);
}

const LOOKED = [...Object.values(KINDS), ...FOREIGN_KINDS.map((kind) => ({ ...kind, apiVersion: FOREIGN_API }))];

/** An object of its kinds whose status the operator has just written. */
async function freshlyWritten(kube: Kube, operator: Operator, now: number): Promise<string | undefined> {
  for (const kind of LOOKED.filter(({ apiVersion }) => groupOf(apiVersion) === operator.group)) {
    const listed = listAll(kube, collectionPath(kind, undefined), { accept: METADATA_ONLY.list });
    const objects = (await ifInstalled(kube, kind, listed)) ?? [];
    const crd = crdOf(kind);
    const written = objects.find((object) => hasJustWritten(operator, { crd, managed: managedEntries(object) }, now));
    if (written === undefined) continue;
    const { namespace, name } = readMetadata(written);
    return `${crd} ${namespace}/${name}`;
  }
  return undefined;
}
