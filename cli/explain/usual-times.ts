import type { UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { readUsualTimes, USUAL_TIMES } from '../../kube/objects/usual-times.ts';
import type { Reading } from './reading.ts';

const CONFIG_MAP = { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps' };

/** What is assumed counts for all states. */
export const NOTHING_MEASURED: UsualTimes = {};

/** What the bridge of this namespace has measured; nothing where that may not be read, which the reading notes. */
export async function usualTimesIn(reading: Reading, namespace: string): Promise<UsualTimes> {
  const found = await reading.find(CONFIG_MAP, { namespace, name: USUAL_TIMES });
  if (found === undefined) return NOTHING_MEASURED;
  const times = readUsualTimes(found);
  if (times === undefined) reading.note(`ConfigMap ${namespace}/${USUAL_TIMES}: its content is no usual times`);
  return times ?? NOTHING_MEASURED;
}
