import { readFile } from 'node:fs/promises';
import type { MeasuredServices } from '../cpu.ts';

/** Resident memory by service in MB (10^6 bytes); only running services. */
export type Memory = Readonly<Record<string, number>>;

/** `VmRSS` of /proc/<pid>/status in MB; undefined for a process that has ended. */
export function residentMb(procStatus: string): number | undefined {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(procStatus) ?? [];
  return kibibytes === undefined ? undefined : Math.round((Number(kibibytes) * 1024) / 1e6);
}

export async function memoryNow(services: MeasuredServices): Promise<Memory> {
  const found = await Promise.all(
    services.services().map(async (name) => {
      const text = await readFile(`/proc/${services.pidOf(name)}/status`, 'utf8').catch(() => '');
      return [name, residentMb(text)] as const;
    }),
  );
  return Object.fromEntries(found.filter((entry): entry is [string, number] => entry[1] !== undefined));
}
