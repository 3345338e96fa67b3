import { z } from 'zod';
import type { Host } from './hosts.ts';

const conditions = z.object({
  conditions: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string() })).default([]),
});

type Held = z.infer<typeof conditions>['conditions'][number];

/** What a host says while one of its steps is held; undefined: none is. */
export const heldIn = ({ status }: Host): Held | undefined =>
  conditions.parse(status).conditions.find(({ type }) => type === 'StepHeld');

/** The code that an approval of the step needs; '' when the message has none. */
export const codeIn = (message: string): string => /[a-z-]+-[0-9a-f]{32}/.exec(message)?.[0] ?? '';
