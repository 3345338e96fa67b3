import { isAlive } from '../supervisor/process-identity.ts';
import { stateFile } from '../supervisor/state.ts';

/** The endpoints of the lab whose servers run in a folder; none when there is no such lab. */
export function endpointsIn(dir: string): Readonly<Record<string, unknown>> {
  const { processes, endpoints } = stateFile(dir).read();
  return Object.values(processes).some(isAlive) ? endpoints : {};
}
