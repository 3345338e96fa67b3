import type { DeploymentRecord } from '../../ironic/deployment/record.ts';
import type { AskedAgain } from '../../ironic/orders.ts';
import { same } from '../../same.ts';
import { deploymentData, provisioningCancelled, wantedImage, wantedMethod } from './wishes.ts';

/**
 * True when a node runs what the host asks for, and it may stay. What is not known of it is no reason to erase it.
 * `hasItsImage`: Ironic describes the image of the node as it would describe the one that is asked for. A node without
 * a record was deployed before there were records, or adopted by hand: then the status counts, too.
 */
export function runsWhatIsAsked(
  { desired, shown }: AskedAgain,
  recorded: DeploymentRecord | undefined,
  hasItsImage: boolean,
): boolean {
  const now = { seen: { spec: desired } };
  const image = wantedImage(now);
  if (recorded === undefined) {
    const isShown = (shown.url !== '' || Boolean(shown.method)) && !provisioningCancelled(now, shown);
    const isByStep = wantedMethod(now) !== undefined || Boolean(shown.method);
    return isShown || (!isByStep && image !== undefined && hasItsImage);
  }
  const { customDeployMethod: method, data } = recorded;
  const url = hasItsImage ? (image?.url ?? '') : recorded.image;
  return !provisioningCancelled(now, { url, method }) && (data === undefined || same(data, deploymentData(desired)));
}
