import proto, { type temporal } from '@temporalio/proto';
import { nameOf, type WorkerVersion } from './worker-version.ts';

type Deployment = temporal.api.deployment.v1.IWorkerDeploymentInfo;
type Summary = temporal.api.deployment.v1.WorkerDeploymentInfo.IWorkerDeploymentVersionSummary;
const { WorkerDeploymentVersionStatus: Status } = proto.temporal.api.enums.v1;

/** Which tasks Temporal gives to a version of the workers. */
export type Standing =
  /** Temporal does not know the workers of this version yet. */
  | { readonly kind: 'unknown' }
  /** No version of the deployment was ever made current. */
  | { readonly kind: 'first' }
  /** The version gets all tasks except those of operations that other versions began. */
  | { readonly kind: 'current' }
  /** The version gets only the tasks of operations that it began. */
  | { readonly kind: 'draining'; readonly current: string }
  /** The version gets no tasks. */
  | { readonly kind: 'idle'; readonly current: string };

export function standingOf({ versionSummaries, routingConfig }: Deployment, version: WorkerVersion): Standing {
  const own = (versionSummaries ?? []).find((one) => one.deploymentVersion?.buildId === version.buildId);
  if (own === undefined) return { kind: 'unknown' };
  if (own.status === Status.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT) return { kind: 'current' };
  if (own.status === Status.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING) return { kind: 'current' };
  const buildId = routingConfig?.currentDeploymentVersion?.buildId;
  // A person has made the unversioned workers current again: this process does not change that.
  if (!buildId && routingConfig?.currentVersionChangedTime == null) return { kind: 'first' };
  const current = buildId ? nameOf({ ...version, buildId }) : 'none, the workers without a version have the tasks';
  return { kind: isDraining(own) ? 'draining' : 'idle', current };
}

/** Other versions that have operations to finish, as far as Temporal knows. */
export const othersDraining = (
  { versionSummaries }: Deployment,
  { deploymentName, buildId }: WorkerVersion,
): readonly WorkerVersion[] =>
  (versionSummaries ?? [])
    .filter(isDraining)
    .map(({ deploymentVersion }) => ({ deploymentName, buildId: deploymentVersion?.buildId ?? '' }))
    .filter((other) => other.buildId !== buildId);

const isDraining = ({ status }: Summary): boolean => status === Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING;
