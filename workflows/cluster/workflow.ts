import { type Metal3ClusterMemory, metal3ClusterEntity } from '../../domain/cluster/cluster.ts';
import { type EntityStart, live } from '../entity/live.ts';

/** One Metal3Cluster, alive as long as it exists: judges it, and lets it go after the last of its Machines. */
export const metal3ClusterWorkflow = (start: EntityStart<Metal3ClusterMemory>): Promise<void> =>
  live({ kind: 'Metal3Cluster', entity: metal3ClusterEntity, perform: nothingToDo }, start);

const nothingToDo = (): Promise<never> => Promise.reject(new Error('nothing is ever done for a Metal3Cluster'));
