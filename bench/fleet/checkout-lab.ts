import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { MeasuredServices } from '../cpu.ts';

/** The output of the checkout's own `temper lab status`, which is the same for every commit that can be compared. */
const status = z.object({
  services: z.array(z.object({ name: z.string(), pid: z.int() })),
  endpoints: z.object({ kubeconfig: z.string(), temporalAddress: z.string(), temporalNamespace: z.string() }),
});

export type FleetLab = z.infer<typeof status>['endpoints'] & MeasuredServices;

export interface Checkout {
  /** Its root folder, with its packages installed. */
  readonly root: string;
  /** Folder of the lab. */
  readonly dir: string;
}

/** Runs `use` in a lab with that checkout's bridge and workers and the fixture, and always ends the lab. */
export async function inCheckoutLab<T>(
  { root, dir }: Checkout,
  signal: AbortSignal,
  use: (lab: FleetLab) => Promise<T>,
): Promise<T> {
  const temper = async (...args: readonly string[]): Promise<string> => {
    const command = [join(root, 'scripts/temper.mjs'), 'lab', ...args, '--dir', dir];
    return (await execa(process.execPath, command, { cwd: root, stdin: 'ignore' })).stdout;
  };
  try {
    await temper('up', '--provisioner', 'fixture');
    signal.throwIfAborted();
    const { services, endpoints } = status.parse(JSON.parse(await temper('status', '--output', 'json')));
    const pids = new Map(services.map(({ name, pid }) => [name, pid]));
    return await use({ ...endpoints, services: () => [...pids.keys()], pidOf: (name) => pids.get(name) });
  } finally {
    await temper('down');
  }
}
