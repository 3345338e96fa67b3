import { OPENSHIFT_API } from '../../domain/machine-api/names.ts';
import type { SickMachine } from '../../domain/remediation/snapshot.ts';
import { once } from '../once.ts';
import { readObject } from './any-object.ts';
import { conditionsOf } from './conditions.ts';
import { readMachine } from './machine.ts';
import { readMachineApi } from './machine-api.ts';

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

/**
 * The same fields of a Machine of `machine.openshift.io`, which shows neither its health check nor its Node's state.
 */
export const readOwnSickMachine = once((object): SickMachine => {
  const { metadata, nodeRef } = readMachineApi(object);
  const { namespace, name, uid, deletionTimestamp } = metadata;
  return {
    api: OPENSHIFT_API,
    namespace,
    name,
    uid,
    deleting: deletionTimestamp !== undefined,
    healthy: false,
    metal3Machine: name,
    cluster: '',
    ...(nodeRef !== undefined && { node: nodeRef }),
    nodeNews: '',
  };
});
