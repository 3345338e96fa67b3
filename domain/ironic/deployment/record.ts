import { same } from '../../same.ts';
import { isSameUrl } from '../../urls/hidden.ts';
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
  /** The attempt of the host in which it was deployed. Absent: not known. */
  readonly attempt?: string;
}

export const recordOf = (
  { image, customDeployMethod, attempt }: Pick<ProvisionOrder, 'image' | 'customDeployMethod' | 'attempt'>,
  data?: DeploymentData,
): DeploymentRecord => ({
  image: image?.url ?? '',
  customDeployMethod: customDeployMethod ?? '',
  ...(data !== undefined && { data }),
  ...(attempt !== undefined && { attempt }),
});

/**
 * True when a node has this deployment on record. Data that nobody knows counts as the same, and so does any data in the
 * same attempt: a host that names other Secrets while it is deployed keeps its deployment. In another attempt the same
 * image with other data is another deployment, perhaps that of another machine. `hasItsImage`: the node's image is the
 * wanted one by its description; a URL on record may have been sealed for an earlier host of this name.
 */
export const isRecorded = (recorded: DeploymentRecord, wanted: DeploymentRecord, hasItsImage: boolean): boolean =>
  (hasItsImage || isSameUrl(recorded.image, wanted.image)) &&
  recorded.customDeployMethod === wanted.customDeployMethod &&
  (isSameAttempt(recorded, wanted) || recorded.data === undefined || same(recorded.data, wanted.data));

const isSameAttempt = (recorded: DeploymentRecord, wanted: DeploymentRecord): boolean =>
  recorded.attempt !== undefined && recorded.attempt === wanted.attempt;

/** Key in `instance_info`, which Ironic empties when it undeploys the node. */
export const RECORD = 'temper_deployment';

/** The change that keeps the record with the node. */
export const recordChange = (record: DeploymentRecord): IronicJson => ({ [`/instance_info/${RECORD}`]: record });
