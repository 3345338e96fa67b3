import { parseBmcAddress } from '../../domain/bmc/address.ts';
import { driverInfo } from '../../domain/bmc/driver-info.ts';
import { type DesiredNode, newNode } from '../../domain/ironic/desired-node.ts';
import type { NodeJson, NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { desiredSettings } from '../../domain/ironic/node-settings.ts';
import type { NodeOrder } from '../../domain/ironic/orders.ts';

/** An order for a node, the desired node, and what Ironic returns of a node. */

export const anOrder = (order: Partial<NodeOrder> = {}): NodeOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: '',
  bmc: {
    address: 'redfish-virtualmedia+http://bmc/redfish/v1/Systems/1',
    credentialsName: 's',
    disableCertificateVerification: false,
  },
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  ...desiredSettings({}),
  ...order,
});

export function desired(order: Partial<NodeOrder> = {}, more: Partial<DesiredNode> = {}): DesiredNode {
  const wanted = anOrder(order);
  const parsed = parseBmcAddress(wanted.bmc.address, { fakeHardware: true });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return {
    order: wanted,
    address: parsed.address,
    driverInfo: driverInfo(parsed.address, { username: 'admin', password: 'secret' }, false),
    deployImages: { iso: 'http://images/agent.iso' },
    architecture: 'x86_64',
    networkData: undefined,
    canKeepPowerOn: true,
    ...more,
  };
}

/** A row of the list of nodes. */
export const aNodeState = (more: Partial<NodeStateJson> = {}): NodeStateJson => ({
  uuid: 'n',
  name: null,
  provision_state: 'manageable',
  target_provision_state: null,
  power_state: null,
  target_power_state: null,
  last_error: null,
  maintenance: false,
  fault: null,
  boot_interface: null,
  health: null,
  ...more,
});

/** The node that Ironic returns after it was created from this. */
export const asShown = (wanted: DesiredNode, more: Partial<NodeJson> = {}): NodeJson => {
  const body = newNode(wanted);
  const driver_info = { ...(body['driver_info'] as object), redfish_password: '******' };
  return {
    ...aNodeState(),
    instance_info: {},
    instance_uuid: null,
    network_data: {},
    deploy_interface: 'direct',
    raid_interface: 'redfish',
    inspection_finished_at: null,
    provision_updated_at: null,
    ...(body as unknown as Pick<
      NodeJson,
      'name' | 'driver' | 'properties' | 'automated_clean' | 'disable_power_off' | 'inspect_interface'
    >),
    driver_info,
    ...more,
  };
};
