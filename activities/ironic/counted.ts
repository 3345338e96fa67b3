import type { WorkerMeasurement } from '../../domain/metrics/definitions.ts';
import type { IronicActivities } from './activities.ts';
import { IronicError } from './client/errors.ts';

/** The same activities, with their errors counted; each attempt counts. `onUnreachable`: Ironic did not answer one. */
export function counted(
  activities: IronicActivities,
  count: (measurement: WorkerMeasurement) => void,
  onUnreachable: () => void = () => undefined,
): IronicActivities {
  const counting = Object.entries(activities).map(([name, activity]: [string, (order: never) => Promise<unknown>]) => [
    name,
    async (order: never): Promise<unknown> => {
      try {
        return await activity(order);
      } catch (error) {
        if (error instanceof IronicError && error.type === 'IronicUnreachable') onUnreachable();
        if (isNotReady(error)) count({ name: 'metal3_provisioner_not_ready_total', labels: {} });
        else if (name === 'registerNode' && isWithoutAnswer(error)) {
          count({ name: 'metal3_credentials_no_management_access_total', labels: {} });
        }
        throw error;
      }
    },
  ]);
  return Object.fromEntries(counting) as IronicActivities;
}

const isNotReady = (error: unknown): boolean =>
  error instanceof IronicError && (error.type === 'IronicUnreachable' || error.type === 'IronicUnusable');

/** A locked or busy node says nothing about its BMC. */
const isWithoutAnswer = (error: unknown): boolean =>
  error instanceof IronicError && (error.type !== 'IronicBusy' || (error.status !== undefined && error.status !== 409));
