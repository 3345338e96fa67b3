import { z } from 'zod';
import type { DeploymentRecord } from '../domain/ironic/deployment/record.ts';
import type { DeploymentData } from '../domain/ironic/orders.ts';

const secret = z.object({ name: z.string().optional(), namespace: z.string().optional() });
const data = z.object({ userData: secret, metaData: secret, networkData: secret }).partial();
const record = z.object({ image: z.string(), customDeployMethod: z.string(), data: data.optional() });

/** The record that a node has of what was deployed on it; undefined when it has none. */
export const readRecord = (found: unknown): DeploymentRecord | undefined =>
  record.safeParse(found).data as DeploymentRecord | undefined;

/** The same for the data of a deployment. */
export const readData = (found: unknown): DeploymentData | undefined =>
  data.safeParse(found).data as DeploymentData | undefined;
