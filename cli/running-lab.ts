import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive } from '../platform/process-identity.ts';

const labEndpoints = z.object({
  kubeconfig: z.string().optional(),
  /** The lab's own program. */
  temporalCli: z.string().optional(),
  temporalAddress: z.string().optional(),
  temporalNamespace: z.string().optional(),
  ironic: z.string().optional(),
});
export type ReadEndpoints = z.infer<typeof labEndpoints>;

/** What the command line reads of the state file that a lab writes. */
const labState = z.object({
  processes: z.record(z.string(), z.object({ pid: z.int(), startTime: z.string() })),
  endpoints: labEndpoints,
});

/** The endpoints of the lab whose servers run in a folder; none when there is no such lab. */
export function endpointsIn(dir: string): ReadEndpoints {
  try {
    const { processes, endpoints } = labState.parse(JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')));
    return Object.values(processes).some(isAlive) ? endpoints : {};
  } catch {
    return {};
  }
}
