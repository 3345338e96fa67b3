import type { WorkerOptions } from '@temporalio/worker';
import type { WorkersConfig } from '../../config/config.ts';

/** The version of these workers, by Temporal's names. */
export interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** Undefined: the workers have no version, and any of them takes any task. */
export function versionOf(
  { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: given }: WorkersConfig,
  buildIdOfCode: string,
): WorkerVersion | undefined {
  return deploymentName === undefined ? undefined : { deploymentName, buildId: given ?? buildIdOfCode };
}

/** The version's name as Temporal writes it in search attributes. */
export const nameOf = ({ deploymentName, buildId }: WorkerVersion): string => `${deploymentName}:${buildId}`;

/** Runs move to the current version with their next task, except for those that `workflows/versioning.ts` pins. */
export const versionOptions = (
  version: WorkerVersion | undefined,
): Required<Pick<WorkerOptions, 'workerDeploymentOptions'>> | Record<string, never> =>
  version === undefined
    ? {}
    : {
        workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
      };
