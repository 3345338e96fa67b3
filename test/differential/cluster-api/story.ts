import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { expanded } from './macros.ts';
import { step } from './steps.ts';

/** The API server reports this version, which does not know the taint of Nodes that are out of service. */
export const OLDER_KUBERNETES = 'Kubernetes 1.27';

const story = z.strictObject({
  story: z.string(),
  /** The purpose of the story, when its title and steps do not show it. */
  about: z.string().optional(),
  /** The process was started with other settings, or on another API server. */
  settings: z.enum(['fast track and claims named after hosts', OLDER_KUBERNETES]).optional(),
  steps: z
    .array(step)
    .min(1)
    .transform((steps) => steps.map(expanded)),
});
export type Story = z.infer<typeof story>;

/** The two operators of upstream, by the name of their repository. */
export const OPERATORS = ['ip-address-manager', 'cluster-api-provider-metal3'] as const;
export type Operator = (typeof OPERATORS)[number];

/** All stories of an operator, in the order of the files. */
export function readStories(operator: Operator): readonly Story[] {
  const folder = join(import.meta.dirname, 'stories', operator);
  const stories = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => z.array(story).parse(parse(readFileSync(join(folder, file), 'utf8'))));
  const names = new Set(stories.map(({ story: name }) => name));
  if (names.size < stories.length) throw new Error('two stories have the same title');
  return stories;
}
