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
