import type { Client } from '@temporalio/client';
import { messageOf } from '../../domain/message-of.ts';
import type { Kube } from '../../kube/client.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Named } from '../../kube/paths.ts';
import { describe } from '../../platform/temporal/describe.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { machineCalled } from '../called-machine.ts';
import type { Out } from '../out.ts';
import { createReading } from '../reading.ts';
import { STEERED_KINDS, type SteeredWord } from './options.ts';
import type { SteeredObject } from './selected.ts';

/** How long an object may take to answer: its run may be replayed first. */
export const PATIENCE_MS = 90_000;

interface Calling {
  readonly client: Client;
  readonly openKube: () => Kube;
  readonly out: Out;
}

/**
 * The object of this name; undefined, with the reason printed: it is not known which one that is. The API server is
 * asked only when no Metal3Machine of the name has a run: then it may be the name of a Machine.
 */
export async function called(
  word: SteeredWord,
  { namespace, name }: Named,
  { client, openKube, out }: Calling,
): Promise<SteeredObject | undefined> {
  const target = { kind: STEERED_KINDS[word], name };
  if (word === 'host') return target;
  const say = (why: string): void => out.aside(`temper: ${namespace}/${name}: ${why}`);
  try {
    if (await isRunning(client, entityWorkflowId(target.kind.kind, { namespace, name }))) return target;
  } catch (error) {
    say(messageOf(error));
    return undefined;
  }
  try {
    const kube = openKube();
    try {
      const reading = createReading(kube);
      const found = await machineCalled(reading, { namespace, name });
      if (found !== undefined) return { kind: found.kind, name: readMetadata(found.object).name };
      if (reading.refusals === 0) return target;
      for (const why of reading.unread) out.aside(`temper: ${why}`);
      say('so it is not known which machine is called so');
    } finally {
      await kube.close();
    }
  } catch (error) {
    say(
      `no ${target.kind.kind} of this name has a run in Temporal, and the API server cannot be asked for a Machine of this name: ${messageOf(error)}`,
    );
  }
  return undefined;
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const run = await describe(client, workflowId, undefined, PATIENCE_MS);
  return run !== undefined && run.closeTime === undefined;
}
