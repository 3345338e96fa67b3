/** The command that prints a script. */
export const COMPLETION = 'completion';
/** The command that the scripts run; the words to complete follow after `--`. */
export const COMPLETION_REQUEST = 'complete';
