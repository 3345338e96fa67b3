import { isImageOf, OPERATORS, type Operator } from '../../domain/other-operators/operators.ts';
import { isHeldByAnother } from '../../domain/other-operators/running.ts';
import type { Kube } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { leasesNamed } from '../../kube/other-operators.ts';
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
      const deployed = deployments.find(({ images, replicas }) => replicas > 0 && isImageOf(operator, images));
      if (deployed !== undefined) return { operator, sign: `Deployment ${deployed.namespace}/${deployed.name}` };
      const held = (await leasesNamed(kube, operator.lease)).find((lease) => isHeldByAnother(lease, now));
      return held && { operator, sign: `Lease ${held.namespace}/${held.name}, held by ${held.holder}` };
    }),
  );
  return found.filter((each) => each !== undefined);
}
