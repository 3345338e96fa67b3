import { createHash } from 'node:crypto';
import type { LabInventory } from './inventory.ts';
import type { LabMachine } from './machine.ts';

const GIB = 1024 ** 3;
const SIZES = [
  { cpus: 16, ramMiB: 65_536, diskGiB: [480] },
  { cpus: 32, ramMiB: 131_072, diskGiB: [480, 1920] },
  { cpus: 8, ramMiB: 32_768, diskGiB: [240] },
  { cpus: 64, ramMiB: 262_144, diskGiB: [960, 3840, 3840] },
] as const;

const hex = (value: number): string => value.toString(16).padStart(2, '0');
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same name has the same UUID in every lab, so that BMC addresses in manifests stay valid. */
export const machineUuid = (name: string): string => {
  const bytes = digest(`machine/${name}`);
  return `${bytes.slice(0, 8)}-${bytes.slice(8, 12)}-5${bytes.slice(13, 16)}-8${bytes.slice(17, 20)}-${bytes.slice(20, 32)}`;
};

export const machineName = (index: number): string => `lab-${String(index).padStart(4, '0')}`;

const inventoryOf = (index: number, name: string): LabInventory => {
  const size = SIZES[index % SIZES.length] ?? SIZES[0];
  const mac = (port: number): string => `52:54:00:${hex(index >> 8)}:${hex(index & 255)}:${hex(port)}`;
  return {
    cpu: {
      count: size.cpus,
      model: `Lab CPU ${size.cpus}`,
      architecture: 'x86_64',
      mhz: 2400,
      flags: ['aes', 'avx2', 'lm', 'vmx'],
    },
    ramMiB: size.ramMiB,
    disks: size.diskGiB.map((gib, at) => ({
      name: `/dev/sd${String.fromCharCode(97 + at)}`,
      bytes: gib * GIB,
      rotational: at === 2,
      serial: `${name}-disk-${at}`,
      wwn: `0x5000${digest(`${name}/disk/${at}`).slice(0, 12)}`,
      hctl: `${at}:0:0:0`,
      model: at === 2 ? 'Lab Spinner' : 'Lab Flash',
      vendor: 'Lab',
    })),
    nics: [1, 2].map((port) => ({
      name: `eth${port - 1}`,
      mac: mac(port),
      ...(port === 1 ? { ip: `172.22.${100 + (index >> 8)}.${index & 255}` } : {}),
      hasCarrier: port === 1,
      speedMbps: 10_000,
    })),
    system: { manufacturer: 'Temper', product: `Lab ${size.cpus}`, serial: `${name}-serial` },
    firmware: { vendor: 'Temper', version: '1.0.0', date: '01/01/2026' },
  };
};

/** Machine number `index` of the lab's pattern: sizes take turns, everything else is derived from the number. */
export const patternMachine = (index: number): LabMachine => {
  const name = machineName(index);
  return { name, uuid: machineUuid(name), inventory: inventoryOf(index, name), failures: [] };
};
