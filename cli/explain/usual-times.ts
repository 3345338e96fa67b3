import type { UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { readUsualTimes, USUAL_TIMES } from '../../kube/objects/usual-times.ts';
import type { Reading } from '../reading.ts';

const CONFIG_MAP = { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps' };

/** No measured times: the assumed ones are used for all states. */
export const NOTHING_MEASURED: UsualTimes = {};

/** The times that the bridge in this namespace has measured; none if the user may not read them, which is noted. */
export async function usualTimesIn(reading: Reading, namespace: string): Promise<UsualTimes> {
  const found = await reading.find(CONFIG_MAP, { namespace, name: USUAL_TIMES });
  if (found === undefined) return NOTHING_MEASURED;
  const times = readUsualTimes(found);
  if (times === undefined)
    reading.note(`ConfigMap ${namespace}/${USUAL_TIMES}: its content cannot be read as usual times`);
  return times ?? NOTHING_MEASURED;
}
