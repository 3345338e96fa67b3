import { templateEntity } from '../../domain/data-template/entity.ts';
import type { TemplateMemory } from '../../domain/data-template/memory.ts';
import { type EntityStart, live } from '../life/live.ts';
import { requests } from '../proxies.ts';

/** One Metal3DataTemplate: only this workflow assigns its indexes to claims and frees them. */
export const dataTemplateWorkflow = (start: EntityStart<TemplateMemory>): Promise<void> =>
  live(
    {
      kind: 'Metal3DataTemplate',
      entity: templateEntity,
      perform: (action, { summary }) => requests(summary).settleClaims(action),
    },
    start,
  );
