import type { PrinterColumn } from '../custom-resource.ts';

export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created',
};

export const clusterColumn: PrinterColumn = {
  name: 'Cluster',
  type: 'string',
  jsonPath: '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
  description: 'Cluster that the object belongs to',
};

/** A column with the reason why an object is not as desired; only with `-o wide`. Upstream has no such column. */
export const reasonColumn = (jsonPath: string): PrinterColumn => ({
  name: 'Reason',
  type: 'string',
  jsonPath,
  description: 'What the object waits for, or its last error',
  priority: 1,
});

/** The message of the condition Ready in a list of conditions. */
export const readyMessage = (conditions: string): string => `${conditions}[?(@.type=="Ready")].message`;
