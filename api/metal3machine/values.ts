/** Constants of the Metal3Machine API. Importing them loads no other code. */

export const CHECKSUM_TYPES = ['md5', 'sha256', 'sha512'] as const;
export const DISK_FORMATS = ['raw', 'qcow2', 'vdi', 'vmdk', 'live-iso'] as const;
export const MACHINE_ADDRESS_TYPES = ['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS'] as const;
