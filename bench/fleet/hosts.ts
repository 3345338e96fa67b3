import type { NewHost } from '../hosts.ts';

/** The fixture accepts any address, credentials and image. */
export const fleetHosts = (count: number): readonly NewHost[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `fleet-${String(index).padStart(5, '0')}`;
    return {
      name,
      login: { username: 'fleet', password: 'fleet' },
      spec: { online: true, bmc: { address: `ipmi://${name}.test` } },
    };
  });

export const IMAGE = {
  url: 'http://images.test/fleet.raw',
  checksum: 'a'.repeat(64),
  checksumType: 'sha256',
  format: 'raw',
} as const;
