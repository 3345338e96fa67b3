import type { SickMachine } from '../../domain/remediation/snapshot.ts';
import { once } from '../once.ts';
import { readObject } from './any-object.ts';
import { conditionsOf } from './conditions.ts';
import { readMachine } from './machine.ts';

/** Conditions of a Machine that change when its Node is gone or back. */
const OF_NODE = ['NodeHealthy', 'NodeReady', 'HealthCheckSucceeded'];

/** The fields of a Machine that its remediation uses. */
export const readSickMachine = once((object): SickMachine => {
  const { metadata, owner, cluster, infrastructure } = readMachine(object);
  const { namespace, name, uid, deletionTimestamp } = metadata;
  const conditions = conditionsOf(readObject(object).status).filter(({ type }) => OF_NODE.includes(type));
  return {
    namespace,
    name,
    uid,
    deleting: deletionTimestamp !== undefined,
    healthy: conditions.some(({ type, status }) => type === 'HealthCheckSucceeded' && status === 'True'),
    metal3Machine: infrastructure,
    cluster: owner.clusterName || cluster,
    ...(owner.nodeRef !== undefined && { node: owner.nodeRef }),
    nodeNews: conditions
      .map(({ type, status, lastTransitionTime }) => `${type} ${status} ${lastTransitionTime}`)
      .join(),
  };
});
