import type { IronicJson } from '../node/node-json.ts';
import type { DeploymentData, ProvisionOrder } from '../orders.ts';

/** What was deployed on a node, as its host asked for it; kept with the node. Names of Secrets only. */
export interface DeploymentRecord {
  /** URL without secrets; '' for none. */
  readonly image: string;
  /** '' for none. */
  readonly customDeployMethod: string;
  /** Absent: not known, because the node was adopted. */
  readonly data?: DeploymentData;
}

export const recordOf = (
  { image, customDeployMethod }: Pick<ProvisionOrder, 'image' | 'customDeployMethod'>,
  data?: DeploymentData,
): DeploymentRecord => ({
  image: image?.url ?? '',
  customDeployMethod: customDeployMethod ?? '',
  ...(data !== undefined && { data }),
});

/** Key in `instance_info`, which Ironic empties when it undeploys the node. */
export const RECORD = 'temper_deployment';

/** The change that keeps the record with the node. */
export const recordChange = (record: DeploymentRecord): IronicJson => ({ [`/instance_info/${RECORD}`]: record });
