import type { PrinterColumn } from '../custom-resource.ts';

/** A column of texts, unless `more` has another type. */
export const column = (
  name: string,
  jsonPath: string,
  description: string,
  more: Partial<Pick<PrinterColumn, 'type' | 'priority'>> = {},
): PrinterColumn => ({ name, type: 'string', jsonPath, description, ...more });

export const ageColumn: PrinterColumn = column(
  'Age',
  '.metadata.creationTimestamp',
  'Time since the object was created',
  { type: 'date' },
);

export const clusterColumn: PrinterColumn = column(
  'Cluster',
  '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
  'Cluster that the object belongs to',
);

/** A column with the reason why an object is not as desired; only with `-o wide`. Upstream has no such column. */
export const reasonColumn = (jsonPath: string): PrinterColumn =>
  column('Reason', jsonPath, 'What the object waits for, or its last error', { priority: 1 });

/** The message of the condition Ready in a list of conditions. */
export const readyMessage = (conditions: string): string => `${conditions}[?(@.type=="Ready")].message`;
