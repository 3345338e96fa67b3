import { INFRASTRUCTURE } from '../groups.ts';
import { FOLLOWED_IN_CACHE, type Kind } from '../kind.ts';

export const TEMPLATE_FINALIZER = 'metal3datatemplate.infrastructure.cluster.x-k8s.io';

export const metal3DataTemplate = {
  kind: 'Metal3DataTemplate',
  ...INFRASTRUCTURE,
  plural: 'metal3datatemplates',
  workflow: { type: 'dataTemplateWorkflow', controller: 'machines', hasLongTasks: true },
  finalizers: [TEMPLATE_FINALIZER],
  rights: { bridge: FOLLOWED_IN_CACHE, workers: { object: ['get'] } },
} as const satisfies Kind;
