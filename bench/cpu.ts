import { readdir, readFile } from 'node:fs/promises';
import type { Lab } from '../lab/lab.ts';

/** CPU seconds by service, and of this process under `bench`; empty without /proc. */
export type CpuSeconds = Readonly<Record<string, number>>;

const TICKS_PER_SECOND = 100;

/** The services to measure: each leads a process group. */
export type MeasuredServices = Pick<Lab, 'services' | 'pidOf'>;

/** CPU time so far. Unlike elapsed time it is the same on a busy and on a quiet computer. */
export async function cpuSoFar(lab: MeasuredServices): Promise<CpuSeconds> {
  const groups = new Map<number, string>([[process.pid, 'bench']]);
  for (const name of lab.services()) {
    const pid = lab.pidOf(name);
    if (pid !== undefined) groups.set(pid, name);
  }
  const entries = await readdir('/proc').catch(() => []);
  const used: Record<string, number> = {};
  await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (pid) => {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
        // The second field is the program's name in brackets, which may contain anything.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const [group, user, system] = [2, 11, 12].map((index) => Number(fields[index]));
        const service = Number(pid) === process.pid ? 'bench' : groups.get(group ?? 0);
        if (service !== undefined)
          used[service] = (used[service] ?? 0) + ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND;
      }),
  );
  return used;
}

export const cpuBetween = (before: CpuSeconds, after: CpuSeconds): CpuSeconds =>
  Object.fromEntries(
    Object.entries(after).map(([name, used]) => [name, Number((used - (before[name] ?? 0)).toFixed(2))]),
  );

export const cpuSum = (parts: readonly CpuSeconds[]): CpuSeconds => {
  const sum: Record<string, number> = {};
  for (const part of parts) for (const [name, used] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + used;
  return sum;
};
