import { templateEntity } from '../../domain/data-template/entity.ts';
import type { TemplateMemory } from '../../domain/data-template/memory.ts';
import { type EntityStart, live } from '../entity/live.ts';
import { claims } from '../proxies.ts';

/** One Metal3DataTemplate: the only one who gives its indexes to claims and takes them back. */
export const dataTemplateWorkflow = (start: EntityStart<TemplateMemory>): Promise<void> =>
  live(
    {
      kind: 'Metal3DataTemplate',
      entity: templateEntity,
      perform: (action, summary) => claims(summary).settleClaims(action),
    },
    start,
  );
