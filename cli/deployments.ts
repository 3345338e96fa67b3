import { z } from 'zod';
import { lenientText } from '../api/meta/lenient.ts';
import type { DeploymentSeen } from '../domain/migration/survey.ts';
import { metadata } from '../kube/objects/metadata.ts';
import { collectionPath, type Resource } from '../kube/paths.ts';

export const DEPLOYMENTS: Resource = { apiVersion: 'apps/v1', plural: 'deployments' };
export const ALL_DEPLOYMENTS = collectionPath(DEPLOYMENTS, undefined);

const deployment = z.object({
  metadata,
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({ spec: z.object({ containers: z.array(z.object({ image: lenientText })) }) }),
  }),
});

export function deploymentSeen(object: unknown): DeploymentSeen {
  const { metadata: meta, spec } = deployment.parse(object);
  const images = spec.template.spec.containers.map(({ image }) => image);
  return { namespace: meta.namespace, name: meta.name, images, replicas: spec.replicas };
}
