import { z } from 'zod';
import { conditions, initialization } from '../meta/conditions.ts';
import { deprecatedStatus, FAILURE_MESSAGE } from '../meta/deprecated.ts';
import { keyedList } from '../meta/lists.ts';
import { anyObject, templateMetadata } from '../meta/object-meta.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { boundedText, integer, time } from '../meta/scalars.ts';

export const failureDomain = z
  .object({
    name: boundedText({ minLength: 1, maxLength: 256 }).describe('Name of the failure domain.'),
    controlPlane: z.boolean().describe('Whether control plane machines can be placed there.').optional(),
    attributes: z.record(z.string(), z.string()).describe('Free attributes; Temper does not use them.').optional(),
  })
  .describe('A part of the hardware that fails as a whole, such as a rack.');

const failureDomains = keyedList(failureDomain, 'name', { maxItems: 100 });

export const metal3ClusterSpec = z
  .object({
    controlPlaneEndpoint: z
      .object({
        host: boundedText({ minLength: 1, maxLength: 512 }).describe('Name or IP address; required.').optional(),
        port: integer({ minimum: 1, maximum: 65535, format: 'int32' }).describe('Port; 6443 when left out.').optional(),
      })
      .describe(
        'Endpoint of the API server of the cluster. Temper does not create it: use kube-vip or a load balancer.',
      )
      .meta({ minProperties: 1 })
      .optional(),
    cloudProviderEnabled: z
      .boolean()
      .describe('Whether a cloud provider in the cluster sets the providerID of Nodes. When false, Temper sets it.')
      .optional(),
    failureDomains: failureDomains.describe('Failure domains of the cluster, published for Cluster API.').optional(),
  })
  .describe('Desired state of the infrastructure of the cluster.');
export type Metal3ClusterSpec = DeepReadonly<z.infer<typeof metal3ClusterSpec>>;

const { v1beta1 } = deprecatedStatus.shape;
/** Only in a Metal3Cluster is the length of this message limited. */
const clusterDeprecatedStatus = deprecatedStatus
  .extend({
    v1beta1: v1beta1
      .unwrap()
      .extend({ failureMessage: boundedText({ minLength: 0, maxLength: 1024 }).describe(FAILURE_MESSAGE).optional() })
      .describe('Fields as in v1beta1.')
      .optional(),
  })
  .describe('Fields that will be removed together with v1beta1.');

export const metal3ClusterStatus = z
  .object({
    conditions: conditions.optional(),
    initialization: initialization('Whether the infrastructure is ready'),
    lastUpdated: time().describe('Time at which the status was last updated.').optional(),
    failureDomains: failureDomains.describe('Failure domains of the spec, where Cluster API reads them.').optional(),
    deprecated: clusterDeprecatedStatus.optional(),
  })
  .describe('Observed state of the infrastructure of the cluster.');
export type Metal3ClusterStatus = DeepReadonly<z.infer<typeof metal3ClusterStatus>>;

/** A Metal3Cluster as read from the API server. */
export const metal3Cluster = anyObject.extend({
  spec: metal3ClusterSpec.prefault({}),
  status: metal3ClusterStatus.optional(),
});

export const metal3ClusterTemplateSpec = z
  .object({
    template: z
      .object({
        metadata: templateMetadata.describe('Labels of each Metal3Cluster.').optional(),
        spec: metal3ClusterSpec,
      })
      .describe('The Metal3Cluster to create.'),
  })
  .describe('Template for the Metal3Clusters of a ClusterClass.');
export type Metal3ClusterTemplateSpec = DeepReadonly<z.infer<typeof metal3ClusterTemplateSpec>>;
