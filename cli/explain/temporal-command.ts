import type { Cause } from '../../domain/diagnosis/diagnose.ts';

/** The causes, with Temporal's command line called in such a way that it reaches the Temporal that was asked. */
export const forOurTemporal = (causes: readonly Cause[], temporal: string): readonly Cause[] =>
  causes.map((cause) => ({
    ...cause,
    commands: cause.commands.map((command) => command.replace(/^temporal(?= )/, () => temporal)),
  }));
