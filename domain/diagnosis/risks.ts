import type { Deletion } from './deletion.ts';

/** What advice may do to a server: told before the advice. */

/** Of advice that ends what holds an object back, or what nobody tries again before it ends. */
export const GOES_ON =
  'What is asked for is done then, which may deprovision, clean, reboot or power off servers, or write images over their disks.';

/** The same of a host that is being deleted, by what its deletion does to the server. */
export const DELETION_GOES_ON: Readonly<Record<Deletion, string>> = {
  deprovisions:
    'It is being deleted. When nothing holds it any more, its server is deprovisioned, its disks are cleaned unless that is disabled, and it is powered off.',
  'powers off':
    'It is being deleted. When nothing holds it any more, its server is powered off, unless spec.disablePowerOff is set.',
  'leaves alone':
    'It is being deleted. When nothing holds it any more, its node is deleted from Ironic; nothing more is done to its server.',
};

/** The same of a machine or a Cluster. */
export const DELETION_OF_MACHINES =
  'It is being deleted. When nothing holds it any more, hosts of its machines are deprovisioned, their disks are cleaned unless that is disabled, and they are powered off.';

export const MANAGES_SERVER =
  'A server that is new to Temper is rebooted into the deploy agent, which inspects it, and its disks are cleaned unless that is disabled. Then it is powered on or off, as spec.online says. With spec.externallyProvisioned only its power is changed.';

export const OTHER_SERVER =
  'The server at the address that is named then gets what the host asks for. It may be inspected, cleaned, powered on or off, or get an image over what is on its disks.';

export const WRITES_IMAGE =
  'The image is written over the disk of the server; all disks are cleaned before, unless that is disabled.';

export const OTHER_IMAGE =
  'With another spec.image.url, a host that runs an image is deprovisioned: it is powered off, its disks are cleaned unless that is disabled, and the other image is deployed.';

export const OTHER_DISK =
  'The next attempt writes over the disk that the spec then selects; all disks are cleaned before, unless that is disabled.';

export const BUILDS_VOLUMES = 'Building other volumes deletes those that are there, which erases their disks.';

export const INSPECTS = 'A server that is inspected is rebooted into the deploy agent.';

export const DELETES_MACHINE =
  'The host of a Machine that is deleted is deprovisioned: it is powered off, and its disks are cleaned unless that is disabled.';

export const DELETES_HOST =
  'The server of a BareMetalHost that is deleted is deprovisioned if an image is deployed on it, which cleans its disks unless that is disabled. Then it is powered off: detach the host first, if its server is to go on.';

export const TAKES_HOST = 'A machine that finds a host deploys its image on it, over what is on its disks.';

export const NEW_TEMPLATE =
  'Machines whose MachineDeployment or control plane names another Metal3MachineTemplate than before are replaced: their hosts are deprovisioned, and their disks are cleaned unless that is disabled.';

export const DELETES_NODE = 'Pods of the Node are lost to its cluster when the Node is deleted; the server goes on.';

export const RESTARTS_BMC =
  'Many BMCs restart with newer firmware or a new certificate. A restart of some BMCs restarts the server as well.';

export const RESTARTS_IRONIC =
  'A conductor that is restarted breaks off what it does on other nodes too: deployments and cleanings of theirs fail, and hosts repeat them.';
