import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';

/** True when the value is the host's name: that confirms a deletion without regard to Ironic and the BMC. */
export const isForceDeleteAsked = ({
  name,
  annotations,
  deletionTimestamp,
}: {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string | undefined;
}): boolean => deletionTimestamp !== undefined && annotations[STEERING_ANNOTATIONS.forceDelete] === name;
