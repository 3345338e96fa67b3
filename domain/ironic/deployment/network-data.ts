import type { IronicJson } from '../node/node-json.ts';

const OF_OPENSTACK = ['links', 'networks', 'services'];
const OF_NMSTATE = ['interfaces', 'routes', 'route-rules', 'dns-resolver', 'ovs-db', 'desiredState'];

/** True for a document of nmstate: it has keys of that, and none of OpenStack's network data. */
export const isNmstate = (data: IronicJson): boolean =>
  OF_NMSTATE.some((key) => Object.hasOwn(data, key)) && !OF_OPENSTACK.some((key) => Object.hasOwn(data, key));
