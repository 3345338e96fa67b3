import { type Metal3ClusterMemory, metal3ClusterEntity } from '../../domain/cluster/cluster.ts';
import { type EntityStart, live } from '../life/live.ts';

/**
 * One Metal3Cluster, alive as long as it exists: validates it, and removes its finalizer after the last of its Machines
 * is gone.
 */
export const metal3ClusterWorkflow = (start: EntityStart<Metal3ClusterMemory>): Promise<void> =>
  live({ kind: 'Metal3Cluster', entity: metal3ClusterEntity, perform: nothingToDo }, start);

const nothingToDo = (): Promise<never> => Promise.reject(new Error('a Metal3Cluster has no actions'));
