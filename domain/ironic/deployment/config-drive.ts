import type { IronicJson } from '../node/node-json.ts';
import type { HostRef } from '../orders.ts';

/** The data for the deployed system's first boot, parsed from YAML or JSON. */
export interface ConfigDriveSources {
  readonly userData?: string;
  readonly metaData?: IronicJson;
  readonly networkData?: IronicJson;
}

/** The config drive as a JSON object, from which Ironic builds the disk. Absent parts are left out. */
export function configDrive(host: HostRef, { userData, metaData, networkData }: ConfigDriveSources): IronicJson {
  return {
    meta_data: { ...defaultMetaData(host), ...metaData },
    ...(networkData !== undefined && { network_data: networkData }),
    ...(userData !== undefined && userData !== '' && { user_data: userData }),
  };
}

const defaultMetaData = ({ uid, namespace, name }: HostRef): Readonly<Record<string, string>> => ({
  uuid: uid,
  'metal3-namespace': namespace,
  'metal3-name': name,
  'local-hostname': name,
  local_hostname: name,
  name,
});
