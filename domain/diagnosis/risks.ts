/** What advice may do to a server: told before the advice. */

/** Of advice that ends what holds an object back. */
export const GOES_ON =
  'What is asked for is done then, which may deprovision, clean, reboot or power off servers, or write images over their disks.';

/** The same of an object that is being deleted. */
export const DELETION_GOES_ON =
  'It is being deleted. When nothing holds it any more, its server is deprovisioned if it runs something, its disks are cleaned unless that is disabled, and it is powered off.';

export const WRITES_IMAGE =
  'The image is written over the disk of the server; all disks are cleaned before, unless that is disabled.';

export const OTHER_IMAGE =
  'With another spec.image.url, a host that runs an image is deprovisioned: it is powered off, its disks are cleaned unless that is disabled, and the other image is deployed.';

export const OTHER_DISK =
  'The next attempt writes over the disk that the spec then selects; all disks are cleaned before, unless that is disabled.';

export const BUILDS_VOLUMES = 'Building other volumes deletes those that are there, which erases their disks.';

export const DELETES_MACHINE =
  'The host of a Machine that is deleted is deprovisioned: it is powered off, and its disks are cleaned unless that is disabled.';

export const DELETES_HOST =
  'The server of a BareMetalHost that is deleted is deprovisioned if it runs something, its disks are cleaned unless that is disabled, and it is powered off: detach the host first, if its server is to go on.';

export const TAKES_HOST = 'A machine that finds a host deploys its image on it, over what is on its disks.';

export const DELETES_NODE = 'Pods of the Node are lost to its cluster when the Node is deleted; the server goes on.';
