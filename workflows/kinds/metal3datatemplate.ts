import { patched } from '@temporalio/workflow';
import { templateEntity } from '../../domain/data-template/entity.ts';
import type { TemplateMemory } from '../../domain/data-template/memory.ts';
import { type EntityStart, live } from '../life/live.ts';
import { PATCHES } from '../patches.ts';
import { claims } from '../proxies.ts';

/** One Metal3DataTemplate: only this workflow assigns its indexes to claims and frees them. */
export const dataTemplateWorkflow = (start: EntityStart<TemplateMemory>): Promise<void> =>
  live(
    {
      kind: 'Metal3DataTemplate',
      entity,
      perform: (action, { summary }) => claims(summary).settleClaims(action),
    },
    start,
  );

const entity: typeof templateEntity = {
  ...templateEntity,
  begin: (seen) => withPause(templateEntity.begin(seen)),
  absorb: (memory, seen) => withPause(templateEntity.absorb(memory, seen)),
};

/** A run that wrote to the paused template goes on to do so until the pause ends. */
function withPause({ showsPaused, ...memory }: TemplateMemory): TemplateMemory {
  const writes = memory.seen.paused && (showsPaused === true || !patched(PATCHES.pausedTemplates));
  return writes ? { ...memory, showsPaused: true } : memory;
}
