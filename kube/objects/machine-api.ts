import { z } from 'zod';
import { lenientText, lenientTexts, maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { type Authority, authorityOf } from '../../domain/machine-api/authority.ts';
import { MACHINE_API_ANNOTATIONS } from '../../domain/machine-api/names.ts';
import type { NodeWish } from '../../domain/machine-api/node-wish.ts';
import { type HostLink, linkIn, linkInAnnotation } from '../../domain/machine-api/provider-id.ts';
import { once } from '../once.ts';
import { readObject } from './any-object.ts';
import { conditionsOf } from './conditions.ts';
import { type Metadata, metadata, reference } from './metadata.ts';

const hooks = z.array(z.object({ name: z.string() })).catch([]);

const taint = z.object({ key: z.string(), value: maybeText, effect: z.string() });

const machine = z.object({
  metadata,
  spec: orEmpty({
    metadata: orEmpty({ labels: lenientTexts }),
    taints: z.array(taint).catch([]),
    providerSpec: maybe(z.object({ value: z.unknown().optional() })),
    providerID: lenientText,
    lifecycleHooks: maybe(z.object({ preDrain: hooks, preTerminate: hooks })),
    authoritativeAPI: lenientText,
  }),
  status: orEmpty({ nodeRef: reference, phase: maybeText, authoritativeAPI: lenientText }),
});

export interface MachineApiRead {
  readonly metadata: Metadata;
  /** `spec.providerSpec.value`, as it was given. */
  readonly value: unknown;
  readonly providerID: string;
  /**
   * The host that it names: the providerID takes precedence over the annotation. undefined: none; a text: why its
   * providerID can't be read.
   */
  readonly link: HostLink | string | undefined;
  /** Labels and taints of its Node. */
  readonly nodeWish: NodeWish;
  /** Names of the hooks that delay its deletion. */
  readonly hooks: readonly string[];
  /** What the condition Drained says; undefined: it has none. */
  readonly isDrained: boolean | undefined;
  readonly nodeRef: string | undefined;
  readonly phase: string | undefined;
  readonly authority: Authority | undefined;
}

/** A Machine of the Machine API, in either group. */
export const readMachineApi = once((object): MachineApiRead => {
  const { metadata, spec, status } = machine.parse(object);
  const { preDrain = [], preTerminate = [] } = spec.lifecycleHooks ?? {};
  const drained = conditionsOf(readObject(object).status).find(({ type }) => type === 'Drained');
  return {
    metadata,
    value: spec.providerSpec?.value,
    providerID: spec.providerID,
    link: linkIn(spec.providerID) ?? linkInAnnotation(metadata.annotations[MACHINE_API_ANNOTATIONS.host]),
    nodeWish: { labels: spec.metadata.labels, taints: spec.taints },
    hooks: [...preDrain, ...preTerminate].map(({ name }) => name),
    isDrained: drained && drained.status === 'True',
    nodeRef: status.nodeRef?.name || undefined,
    phase: status.phase,
    authority: authorityOf(status.authoritativeAPI, spec.authoritativeAPI),
  };
});

const labelSelector = z
  .object({
    matchLabels: lenientTexts,
    matchExpressions: z
      .array(z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) }))
      .catch([]),
  })
  .catch({ matchLabels: {}, matchExpressions: [] });
export type LabelSelector = z.infer<typeof labelSelector>;

const healthCheck = z.object({
  spec: orEmpty({ selector: labelSelector, nodeStartupTimeout: lenientText }),
});

/** The fields of a MachineHealthCheck that the remediation of its Machines uses. */
export const readHealthCheck = once((object): z.infer<typeof healthCheck>['spec'] => healthCheck.parse(object).spec);

const machineSet = z.object({
  metadata,
  spec: orEmpty({
    replicas: z.number().int().min(0).catch(1),
    deletePolicy: z.enum(['Random', 'Newest', 'Oldest']).catch('Random'),
    selector: labelSelector,
    authoritativeAPI: lenientText,
    template: orEmpty({
      metadata: orEmpty({ labels: lenientTexts }),
      spec: orEmpty({ providerSpec: maybe(z.object({ value: z.unknown().optional() })) }),
    }),
  }),
  status: orEmpty({ authoritativeAPI: lenientText }),
});

export interface OwnMachineSetRead {
  readonly metadata: Metadata;
  readonly authority: Authority | undefined;
  readonly replicas: number;
  readonly deletePolicy: 'Random' | 'Newest' | 'Oldest';
  readonly selector: LabelSelector;
  /** Labels of its Machines. */
  readonly labels: Readonly<Record<string, string>>;
  /** `providerSpec.value` of its Machines, as it was given. */
  readonly value: unknown;
}

/** A MachineSet of `machine.openshift.io`. */
export const readOwnMachineSet = once((object): OwnMachineSetRead => {
  const { metadata, spec, status } = machineSet.parse(object);
  const { replicas, deletePolicy, selector, template } = spec;
  const { labels } = template.metadata;
  const authority = authorityOf(status.authoritativeAPI, spec.authoritativeAPI);
  return { metadata, authority, replicas, deletePolicy, selector, labels, value: template.spec.providerSpec?.value };
});
