import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ExecaError } from 'execa';
import { z } from 'zod';
import { messageOf } from '../../../domain/message-of.ts';
import { historyOf } from '../../../domain/steering/history.ts';
import { entityWorkflowId, STEERING_MESSAGES, view } from '../../../workflows/messages.ts';
import { type LabWithTemporal, withTemporal } from './histories.ts';
import { type AnyLab, kubectl, NAMESPACE } from './hosts.ts';

/** Messages of people to objects of one kind, and the places that show them. */

/** Who asks, and why, with the messages of `send`. */
export const BY = { by: 'ada', reason: 'the fan is loud' };

export interface Steered {
  readonly annotationsOf: (name: string) => Promise<Readonly<Record<string, string>>>;
  /** The list on the object: `quarantine ada`. */
  readonly told: (name: string) => Promise<readonly string[]>;
  readonly waitingFor: (name: string) => Promise<string>;
  /** The current details of its run. */
  readonly detailsOf: (name: string) => Promise<string>;
  readonly send: (name: string, message: keyof typeof STEERING_MESSAGES, more?: object) => Promise<string>;
  /** What a message that is refused is answered. */
  readonly refusal: (name: string, message: keyof typeof STEERING_MESSAGES) => Promise<string>;
  /** `Reason: message` of its Events. */
  readonly eventsOf: (name: string) => Promise<readonly string[]>;
}

/** A kind that people steer, as in the ids of its runs. */
type SteeredKind = 'BareMetalHost' | 'Metal3Machine' | `Machine.${string}`;

const annotated = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
});
const events = z.object({ items: z.array(z.looseObject({ reason: z.string(), message: z.string() })) });

export function steered(lab: () => AnyLab & LabWithTemporal, kind: SteeredKind): Steered {
  const workflowId = (name: string): string => entityWorkflowId(kind, { namespace: NAMESPACE, name });
  const annotationsOf = async (name: string): Promise<Readonly<Record<string, string>>> =>
    annotated.parse(JSON.parse(await kubectl(lab(), ['get', kind.toLowerCase(), name, '-o', 'json']))).metadata
      .annotations;
  const send: Steered['send'] = (name, message, more = {}) =>
    withTemporal(lab(), (client) =>
      client.workflow
        .getHandle(workflowId(name))
        .executeUpdate(STEERING_MESSAGES[message].asUpdate, { args: [{ ...BY, ...more }] }),
    );
  return {
    annotationsOf,
    told: async (name) => historyOf(await annotationsOf(name)).map(({ what, by }) => `${what} ${by}`.trim()),
    waitingFor: (name) =>
      withTemporal(lab(), async (client) => {
        const shown = await client.workflow.getHandle(workflowId(name)).query(view);
        return shown?.waitingFor ?? '';
      }),
    detailsOf: (name) =>
      withTemporal(lab(), async (client) => {
        const handle = client.workflow.getHandle(workflowId(name));
        const metadata = await handle.query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata');
        return metadata.currentDetails ?? '';
      }),
    send,
    async refusal(name, message) {
      try {
        throw new Error(`it is not refused: ${await send(name, message)}`);
      } catch (error) {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        return messageOf(error.cause);
      }
    },
    async eventsOf(name) {
      const of = `involvedObject.kind=${kind.split('.')[0] ?? ''},involvedObject.name=${name}`;
      const listed = await kubectl(lab(), ['get', 'events', '--field-selector', of, '-o', 'json']);
      return events.parse(JSON.parse(listed)).items.map(({ reason, message }) => `${reason}: ${message}`);
    },
  };
}

/** The exit code of commands that are to fail, and what they printed. */
export async function failing(run: Promise<string>): Promise<readonly [number | undefined, string]> {
  try {
    return [0, await run];
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    return [error.exitCode, String(error.all)];
  }
}
