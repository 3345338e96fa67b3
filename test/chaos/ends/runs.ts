import { withTemporal } from '../../e2e/support/histories.ts';
import type { AnyTestLab } from '../hosts.ts';
import type { ObjectsNow } from './objects.ts';
import type { Problem } from './problem.ts';

/** Activities that last as long as a Node or a server takes. */
const WAITING = ['waitForNode', 'awaitNode'];

/** Runs of objects that are gone, objects without a run, and runs that make no progress. */
export const wedgedRuns = (lab: AnyTestLab, { hosts, machines }: ObjectsNow): Promise<readonly Problem[]> =>
  withTemporal(lab, async (client) => {
    const objects = [
      ...hosts.map(({ metadata }) => `baremetalhost/${metadata.name}`),
      ...machines.map(({ metadata }) => `metal3machine/${metadata.name}`),
    ];
    const open: string[] = [];
    const problems: Problem[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      const [kind = '', , name = '', ...operation] = workflowId.split('/');
      if (!['baremetalhost', 'metal3machine'].includes(kind)) continue;
      const object = `${kind}/${name}`;
      if (operation.length === 0) open.push(object);
      const isNot = (what: string): void => void problems.push({ of: name, what: `${workflowId} ${what}` });
      if (!objects.includes(object)) isNot('runs, and its object is gone');
      if (operation.length > 0) isNot('still runs');
      const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
      if ((raw.pendingWorkflowTask?.attempt ?? 0) > 1) isNot('has a workflow task that fails');
      for (const { activityType, attempt } of raw.pendingActivities ?? []) {
        const type = activityType?.name ?? '';
        if (!WAITING.includes(type)) isNot(`is at attempt ${attempt} of ${type}`);
      }
    }
    const without = objects.filter((object) => !open.includes(object));
    return [...problems, ...without.map((object) => ({ of: object.split('/')[1] ?? '', what: 'has no run' }))];
  });
