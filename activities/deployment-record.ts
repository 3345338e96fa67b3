import { z } from 'zod';
import { BOUNDS } from '../domain/bounds/bounds.ts';
import { boundedJson } from '../domain/bounds/json.ts';
import type { DeploymentRecord } from '../domain/ironic/deployment/record.ts';
import type { DeploymentData } from '../domain/ironic/orders.ts';

const secret = z.object({ name: z.string().optional(), namespace: z.string().optional() });
const data = z.object({ userData: secret, metaData: secret, networkData: secret }).partial();
const record = z.object({
  image: z.string(),
  customDeployMethod: z.string(),
  data: data.optional(),
  attempt: z.string().optional(),
});

/** The record that a node has of what was deployed on it; undefined when it has none. */
export const readRecord = (found: unknown): DeploymentRecord | undefined =>
  record.safeParse(found).data as DeploymentRecord | undefined;

const dataAsText = z
  .string()
  .transform((text, context) => {
    try {
      return boundedJson(text, BOUNDS.deploymentData);
    } catch {
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(data);

/** The data of a deployment, from JSON; undefined for any other text: it is not known. */
export const readData = (text: string): DeploymentData | undefined =>
  dataAsText.safeParse(text).data as DeploymentData | undefined;
