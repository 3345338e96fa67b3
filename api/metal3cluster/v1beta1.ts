import { z } from 'zod';
import { conditionsToCome, deprecatedConditions, FAILURE_MESSAGE, failureReason } from '../meta/deprecated.ts';
import { integer, time } from '../meta/scalars.ts';

const failureDomains = z.record(
  z.string(),
  z
    .object({
      controlPlane: z.boolean().describe('Whether control plane machines may be put there.').optional(),
      attributes: z
        .record(z.string(), z.string())
        .describe('Anything worth knowing about it; nobody here looks at it.')
        .optional(),
    })
    .describe('A part of the hardware that fails as one, such as a rack.'),
);

export const metal3ClusterSpecV1Beta1 = z
  .object({
    controlPlaneEndpoint: z
      .object({ host: z.string().describe('Name or IP address.'), port: integer().describe('Port.') })
      .describe(
        'Where the API server of the cluster is to be reached. Nothing here makes it: kube-vip or the like does.',
      )
      .optional(),
    cloudProviderEnabled: z
      .boolean()
      .describe('Whether a cloud provider in the cluster gives its Nodes their providerID.')
      .optional(),
    noCloudProvider: z.boolean().describe('Deprecated: the contrary of cloudProviderEnabled.').optional(),
    failureDomains: failureDomains.describe('Where machines of the cluster can be put, by name.').optional(),
  })
  .describe('What the infrastructure of the cluster should be.');

export const metal3ClusterStatusV1Beta1 = z
  .object({
    ready: z.boolean().describe('Whether the infrastructure is there.').optional(),
    lastUpdated: time().describe('When the status was last worked out.').optional(),
    failureReason: failureReason.optional(),
    failureMessage: z.string().describe(FAILURE_MESSAGE).optional(),
    failureDomains: failureDomains
      .describe('The failure domains of the spec, where Cluster API reads them.')
      .optional(),
    conditions: deprecatedConditions.optional(),
    v1beta2: conditionsToCome.optional(),
  })
  .describe('What the infrastructure of the cluster is.');

export const metal3ClusterTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3ClusterSpecV1Beta1 }).describe('The Metal3Cluster to be made.'),
  })
  .describe('What the Metal3Clusters of a ClusterClass are made from.');
