import { z } from 'zod';
import { conditions } from '../meta/conditions.ts';
import { deprecatedStatus, FAILURE_MESSAGE } from '../meta/deprecated.ts';
import { keyedList } from '../meta/lists.ts';
import { objectMeta, templateMetadata } from '../meta/object-meta.ts';
import { integer, text, time } from '../meta/scalars.ts';

const failureDomain = z
  .object({
    name: text({ minLength: 1, maxLength: 256 }).describe('Name of the failure domain.'),
    controlPlane: z.boolean().describe('Whether control plane machines may be put there.').optional(),
    attributes: z
      .record(z.string(), z.string())
      .describe('Anything worth knowing about it; nobody here looks at it.')
      .optional(),
  })
  .describe('A part of the hardware that fails as one, such as a rack.');

const failureDomains = keyedList(failureDomain, 'name', { maxItems: 100 });

export const metal3ClusterSpec = z
  .object({
    controlPlaneEndpoint: z
      .object({
        host: text({ minLength: 1, maxLength: 512 }).describe('Name or IP address; has to be given.').optional(),
        port: integer({ minimum: 1, maximum: 65535, format: 'int32' }).describe('Port; 6443 when left out.').optional(),
      })
      .describe(
        'Where the API server of the cluster is to be reached. Nothing here makes it: kube-vip or the like does.',
      )
      .meta({ minProperties: 1 })
      .optional(),
    cloudProviderEnabled: z
      .boolean()
      .describe(
        'Whether a cloud provider in the cluster gives its Nodes their providerID. When it does not, Temper gives it to them.',
      )
      .optional(),
    failureDomains: failureDomains
      .describe('Where machines of the cluster can be put, as Cluster API is to be told.')
      .optional(),
  })
  .describe('What the infrastructure of the cluster should be.');

const { v1beta1 } = deprecatedStatus.shape;
/** Of a cluster alone, the message is bounded. */
const clusterDeprecatedStatus = deprecatedStatus
  .extend({
    v1beta1: v1beta1
      .unwrap()
      .extend({ failureMessage: text({ minLength: 0, maxLength: 1024 }).describe(FAILURE_MESSAGE).optional() })
      .describe('As v1beta1 shows it.')
      .optional(),
  })
  .describe('Fields that go when v1beta1 goes.');

export const metal3ClusterStatus = z
  .object({
    conditions: conditions.optional(),
    initialization: z
      .object({
        provisioned: z.boolean().describe('Whether the infrastructure is there; Cluster API waits for it.').optional(),
      })
      .describe('How far the first setting up has come.')
      .meta({ minProperties: 1 })
      .optional(),
    lastUpdated: time().describe('When the status was last worked out.').optional(),
    failureDomains: failureDomains
      .describe('The failure domains of the spec, where Cluster API reads them.')
      .optional(),
    deprecated: clusterDeprecatedStatus.optional(),
  })
  .describe('What the infrastructure of the cluster is.');

/** A Metal3Cluster as read from the API server. */
export const metal3Cluster = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: metal3ClusterSpec.prefault({}),
  status: metal3ClusterStatus.optional(),
});

export const metal3ClusterTemplateSpec = z
  .object({
    template: z
      .object({
        metadata: templateMetadata.describe('What each Metal3Cluster is labelled with.').optional(),
        spec: metal3ClusterSpec,
      })
      .describe('The Metal3Cluster to be made.'),
  })
  .describe('What the Metal3Clusters of a ClusterClass are made from.');
