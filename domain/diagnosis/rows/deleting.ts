import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { type Deletion, deletionOf } from '../deletion.ts';
import { type Diagnosis, shows } from '../diagnosis.ts';
import type { SeenHost, SeenObject } from '../sight.ts';

const isDeleted = (object: SeenObject | undefined) =>
  shows(object, 'metadata.deletionTimestamp', object?.deleting === true && 'it is set');

const isDeletedIn = (host: SeenHost) => {
  const detached = host.annotations[ANNOTATIONS.detached] === undefined ? '' : ', and the host is detached';
  const words = `it is set, in the state ${host.state || 'of a new host'}${detached}`;
  return shows(host, 'metadata.deletionTimestamp', host.deleting && words);
};

const NOTHING = 'Nothing, as long as no other cause is named with this one.';

const ofHost = (id: string, deletion: Deletion, cause: string): Diagnosis => ({
  id,
  of: 'host',
  whileDeleting: true,
  see: ({ host }) => (host !== undefined && deletionOf(host) === deletion ? isDeletedIn(host) : undefined),
  cause,
  next: `${NOTHING} Removing finalizers by hand leaves the server as it is, and its node in Ironic.`,
  commands: ['kubectl -n {namespace} events --for bmh/{host}'],
});

/** Objects that are being deleted: of the other rows, only those that may hold up the deletion are told with these. */
export const DELETING: readonly Diagnosis[] = [
  ofHost(
    'host-deleting',
    'deprovisions',
    'The host is being deleted: its server is deprovisioned, its disks are cleaned unless that is disabled, and it is powered off.',
  ),
  ofHost(
    'host-deleting-powers-off',
    'powers off',
    'The host is being deleted: its server is powered off, unless spec.disablePowerOff is set. It is neither deprovisioned nor cleaned.',
  ),
  ofHost(
    'host-deleting-leaves-alone',
    'leaves alone',
    'The host is being deleted: its node is deleted from Ironic, and nothing more is done to its server.',
  ),
  {
    id: 'machine-deleting',
    of: 'machine',
    whileDeleting: true,
    see: ({ machine }) => isDeleted(machine),
    cause:
      'The machine is being deleted: its host, if it has one, is powered off and deprovisioned, its disks are cleaned unless that is disabled, and it is then free for others.',
    next: `${NOTHING} Cluster API drains its Node first.`,
    commands: ['kubectl -n {namespace} describe metal3machine {machine}'],
  },
  {
    id: 'machine-api-deleting',
    of: 'machineApi',
    whileDeleting: true,
    see: ({ machineApi }) => {
      const found = isDeleted(machineApi);
      return found && { ...found, objects: [`${machineApi?.kind.toLowerCase()}/${machineApi?.name}`] };
    },
    cause:
      'The Machine is being deleted: its host, if it has one, is powered off and deprovisioned, its disks are cleaned unless that is disabled, and it is then free for others. An externally provisioned host is only powered off.',
    next: `${NOTHING} Its lifecycle hooks and the draining of its Node come first.`,
    commands: ['kubectl -n {namespace} describe {object}'],
  },
  {
    id: 'cluster-deleting',
    of: 'cluster',
    whileDeleting: true,
    see: ({ cluster }) => isDeleted(cluster),
    cause: 'The Cluster is being deleted, and its machines before it: their hosts are deprovisioned.',
    next: NOTHING,
    commands: ['kubectl -n {namespace} get machines.cluster.x-k8s.io'],
  },
];

/** True for the cause that says only that the object is being deleted. */
export const isDeletion = ({ id }: Pick<Diagnosis, 'id'>): boolean => DELETING.some((row) => row.id === id);
