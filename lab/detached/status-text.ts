import Table from 'cli-table3';
import type { LabStatus } from './running-lab.ts';

/** The status of a lab as text. */
export function statusText({ state, dir, supervisorPid, services, endpoints }: LabStatus): string {
  const by = supervisorPid === undefined ? '' : ` (process ${supervisorPid})`;
  const heading = `The lab in ${dir} is ${state}${by}.`;
  if (services.length === 0) return heading;
  const processes = new Table({
    head: ['SERVICE', 'PID', 'STATE', 'LOG'],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, pid, isRunning, log } of services) {
    processes.push([name, pid, isRunning ? 'running' : 'gone', log ?? '']);
  }
  const known = Object.entries(endpoints).filter(([, value]) => typeof value === 'string');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  const lines = known.map(([name, value]) => `${name.padEnd(width)}  ${String(value)}`);
  return [heading, processes.toString(), ...lines].join('\n');
}
