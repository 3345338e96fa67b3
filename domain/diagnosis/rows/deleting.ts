import { type Diagnosis, shows } from '../diagnosis.ts';
import { aHealthyCluster, aHealthyMachine, hostSight, NOW } from '../example.ts';
import type { SeenObject } from '../sight.ts';

const isDeleted = (object: SeenObject | undefined) =>
  shows(object, 'metadata.deletionTimestamp', object?.deleting === true && 'it is set');

/** Objects that are being deleted: of the other rows, only those that may hold up the deletion are told with these. */
export const DELETING: readonly Diagnosis[] = [
  {
    id: 'host-deleting',
    of: 'host',
    whileDeleting: true,
    see: ({ host }) => isDeleted(host),
    cause:
      'The host is being deleted: its server is deprovisioned if it runs something, its disks are cleaned unless that is disabled, and it is powered off.',
    next: 'Nothing, as long as no other cause is named with this one. Removing finalizers by hand leaves the server as it is, and its node in Ironic.',
    commands: ['kubectl -n {namespace} events --for bmh/{host}'],
    examples: [hostSight({ state: 'deprovisioning', deleting: true })],
  },
  {
    id: 'machine-deleting',
    of: 'machine',
    whileDeleting: true,
    see: ({ machine }) => isDeleted(machine),
    cause:
      'The machine is being deleted: its host is deprovisioned, which powers it off and cleans its disks unless that is disabled, and is then free for others.',
    next: 'Nothing, as long as no other cause is named with this one. Cluster API drains its Node first.',
    commands: ['kubectl -n {namespace} describe metal3machine {machine}'],
    examples: [{ now: NOW, machine: { ...aHealthyMachine, deleting: true } }],
  },
  {
    id: 'cluster-deleting',
    of: 'cluster',
    whileDeleting: true,
    see: ({ cluster }) => isDeleted(cluster),
    cause: 'The Cluster is being deleted, and its machines before it: their hosts are deprovisioned.',
    next: 'Nothing, as long as no other cause is named with this one.',
    commands: ['kubectl -n {namespace} get machines.cluster.x-k8s.io'],
    examples: [{ now: NOW, cluster: { ...aHealthyCluster, deleting: true } }],
  },
];
