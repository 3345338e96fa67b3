import { codeLine, type Markdown, markdown } from '../entity/markdown.ts';
import { inWords, type SteeringMessage, temporalNameOf, titleOf } from './messages.ts';
import type { WithSteered } from './steered.ts';

/** Placeholders in commands to copy: the reader replaces them. */
export const USER_AND_REASON = { by: 'USER', reason: 'WHY' } as const;

/** `workers/bundle.ts` writes the setting TEMPORAL_COMMAND here. */
const WRITTEN: string = 'temporal-of-the-PATH';
/** How people call Temporal's command line for this run: the run itself knows neither the address nor the lab. */
const TEMPORAL = WRITTEN.replace('-of-the-PATH', '');

/** Lines for the run's details: the last message, and what can be asked now, as commands to copy. */
export function steeringDetails(
  workflowId: string,
  { steered }: WithSteered,
  possible: readonly SteeringMessage[],
): readonly Markdown[] {
  const last = steered?.at(-1);
  return [
    ...(last === undefined ? [] : [markdown`\nLast message: ${last.what} ${inWords(last)} (${last.at})`]),
    ...(possible.length === 0 ? [] : [markdown`\nWhat a person can do now (${possible.map(titleOf).join(', ')}):\n`]),
    ...possible.flatMap((message) => commandOf(workflowId, message)).map(codeLine),
  ];
}

/** Temporal's own command for a message, in lines so short that the Web UI shows name and input. */
function commandOf(workflowId: string, message: SteeringMessage): readonly string[] {
  const { name, ...input } = message;
  return [
    `${TEMPORAL} \\`,
    `  workflow update execute -w ${workflowId} \\`,
    `  --name ${temporalNameOf(name)} --input '${JSON.stringify(input)}'`,
  ];
}
