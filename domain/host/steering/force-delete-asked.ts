import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';

/** The host's name as the value confirms that it is to go whatever Ironic and the BMC say. */
export const isForceDeleteAsked = ({
  name,
  annotations,
  deletionTimestamp,
}: {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string | undefined;
}): boolean => deletionTimestamp !== undefined && annotations[STEERING_ANNOTATIONS.forceDelete] === name;
