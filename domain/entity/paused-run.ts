/** Runs that a person has paused with Temporal's own pause. */

/** Who paused a run, why, and when (RFC 3339). */
export interface Pause {
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** The command with which a person ends the pause. `temporal`: how people call Temporal's command line. */
export const unpauseCommand = (workflowId: string, temporal: string): string =>
  `${temporal} workflow unpause --workflow-id ${workflowId}`;

/** What an object of the kind shows while its run, or that of its operation, is paused. */
export const pausedInWords = (kind: string, workflowId: string, { by, reason }: Pause, temporal: string): string =>
  `The run ${workflowId} was paused in Temporal${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}. ` +
  `Nothing is done for the ${kind} meanwhile, and its status may be outdated. It goes on after: ` +
  unpauseCommand(workflowId, temporal);

/** The paused run in these words. */
export const pausedRunIn = (words: string): string | undefined =>
  /^The run (\S+) was paused in Temporal/.exec(words)?.[1];
