import { z } from 'zod';
import { lenientText, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { LEGACY_NODE_FINALIZER, NODE_ANNOTATIONS } from '../../domain/machine-api/names.ts';
import type { NodeFacts } from '../../domain/machine-api/node-link.ts';
import { once } from '../once.ts';
import { readObject } from './any-object.ts';
import { conditionsOf } from './conditions.ts';
import { metadata } from './metadata.ts';

const node = z.object({ metadata, spec: orEmpty({ providerID: lenientText }) });
export type NodeRead = z.infer<typeof node>;

/** A Node of a workload cluster. */
export const readNode = (object: unknown): NodeRead => node.parse(object);

const sickNode = z.object({
  metadata,
  spec: orEmpty({ taints: z.array(z.looseObject({ key: z.string(), effect: lenientText })).default([]) }),
});

/** The fields of a Node that its remediation uses. */
export const readSickNode = (object: unknown): z.infer<typeof sickNode> => sickNode.parse(object);

const address = z.object({ type: z.string(), address: z.string() });
const taint = z.looseObject({ key: z.string(), value: maybeText, effect: lenientText });
const ownNode = z.object({
  metadata,
  spec: orEmpty({ providerID: lenientText, taints: z.array(taint).default([]) }),
  status: orEmpty({ addresses: z.array(address).catch([]) }),
});

/** The fields of a Node of the management cluster by which its Machine is found, and that the Machine fills. */
export const readOwnNode = once((object): z.infer<typeof ownNode> => ownNode.parse(object));

/** What decides whose Node it is, and what it lacks. */
export function readNodeFacts(object: unknown): NodeFacts {
  const { metadata, spec, status } = readOwnNode(object);
  const { name, uid, annotations, finalizers } = metadata;
  const machine = Object.values(NODE_ANNOTATIONS).flatMap((key) => annotations[key] ?? [])[0];
  return {
    name,
    uid,
    providerID: spec.providerID,
    machine: machine ?? '',
    labels: metadata.labels,
    taints: spec.taints,
    hasLegacyFinalizer: finalizers.includes(LEGACY_NODE_FINALIZER),
    ips: status.addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
    hostname: status.addresses.find(({ type }) => type === 'Hostname')?.address ?? '',
  };
}

/** True when its condition Ready is True. */
export const isNodeReady = (object: unknown): boolean =>
  conditionsOf(readObject(object).status).some(({ type, status }) => type === 'Ready' && status === 'True');
