import { expect } from 'vitest';
import { eventCollection } from '../../../kube/paths.ts';
import { type AnyLab, NAMESPACE } from './hosts.ts';
import { PATIENCE } from './machines.ts';

/** `Reason: message` of the Events about the object with this name or uid. */
export async function eventsOf(
  { kube }: Pick<AnyLab, 'kube'>,
  field: 'name' | 'uid',
  value: string,
): Promise<readonly string[]> {
  const query = { fieldSelector: `involvedObject.${field}=${value}` };
  const { items } = (await kube.request({ path: eventCollection(NAMESPACE), query })) as {
    readonly items: readonly { readonly reason: string; readonly message: string }[];
  };
  return items.map(({ reason, message }) => `${reason}: ${message}`);
}

/** Resolves when an Event says that the object's workflow, whose run was closed, was started again. */
export const restarted = (lab: Pick<AnyLab, 'kube'>, field: 'name' | 'uid', value: string): Promise<void> =>
  expect.poll(async () => (await eventsOf(lab, field, value)).join('\n'), PATIENCE).toContain('WorkflowRestarted: ');
