import { z } from 'zod';
import { conditionsToCome, deprecatedConditions, FAILURE_MESSAGE, failureReason } from '../meta/deprecated.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { integer, time } from '../meta/scalars.ts';
import { failureDomain } from './schema.ts';

const failureDomains = z.record(
  z.string(),
  failureDomain.omit({ name: true }).describe('A part of the hardware that fails as a whole, such as a rack.'),
);

export const metal3ClusterSpecV1Beta1 = z
  .object({
    controlPlaneEndpoint: z
      .object({ host: z.string().describe('Name or IP address.'), port: integer().describe('Port.') })
      .describe(
        'Endpoint of the API server of the cluster. Temper does not create it: use kube-vip or a load balancer.',
      )
      .optional(),
    cloudProviderEnabled: z
      .boolean()
      .describe('Whether a cloud provider in the cluster sets the providerID of Nodes.')
      .optional(),
    noCloudProvider: z.boolean().describe('Deprecated: the opposite of cloudProviderEnabled.').optional(),
    failureDomains: failureDomains.describe('Failure domains of the cluster, by name.').optional(),
  })
  .describe('Desired state of the infrastructure of the cluster.');
export type Metal3ClusterSpecV1Beta1 = DeepReadonly<z.input<typeof metal3ClusterSpecV1Beta1>>;

export const metal3ClusterStatusV1Beta1 = z
  .object({
    ready: z.boolean().describe('Whether the infrastructure is ready.').optional(),
    lastUpdated: time().describe('Time at which the status was last updated.').optional(),
    failureReason: failureReason.optional(),
    failureMessage: z.string().describe(FAILURE_MESSAGE).optional(),
    failureDomains: failureDomains.describe('Failure domains of the spec, where Cluster API reads them.').optional(),
    conditions: deprecatedConditions.optional(),
    v1beta2: conditionsToCome.optional(),
  })
  .describe('Observed state of the infrastructure of the cluster.');
export type Metal3ClusterStatusV1Beta1 = DeepReadonly<z.input<typeof metal3ClusterStatusV1Beta1>>;

export const metal3ClusterTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3ClusterSpecV1Beta1 }).describe('The Metal3Cluster to create.'),
  })
  .describe('Template for the Metal3Clusters of a ClusterClass.');
export type Metal3ClusterTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3ClusterTemplateSpecV1Beta1>>;
