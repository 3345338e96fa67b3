import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { MeasuredServices } from './cpu.ts';

export interface Checkout {
  /** Its root folder, with its packages installed. */
  readonly root: string;
  /** Folder of the lab. */
  readonly dir: string;
}

/** A lab with the bridge and the workers of a checkout. */
export interface CheckoutLab extends MeasuredServices {
  /** The output of the checkout's own `temper lab status`. */
  readonly endpoints: unknown;
  /** Runs another command `temper lab` of the checkout. */
  temper(command: string, ...args: readonly string[]): Promise<string>;
}

/** The same for every commit that can be compared. */
const status = z.object({
  services: z.array(z.object({ name: z.string(), pid: z.int() })),
  endpoints: z.unknown(),
});

/** Runs `use` in a lab that the checkout's own `temper lab up` starts, and always ends the lab. */
export async function inCheckoutLab<T>(
  { root, dir }: Checkout,
  up: readonly string[],
  signal: AbortSignal,
  use: (lab: CheckoutLab) => Promise<T>,
): Promise<T> {
  const temper = async (...args: readonly string[]): Promise<string> => {
    const command = [join(root, 'scripts/temper.mjs'), 'lab', ...args, '--dir', dir];
    return (await execa(process.execPath, command, { cwd: root, stdin: 'ignore' })).stdout;
  };
  try {
    await temper('up', ...up);
    signal.throwIfAborted();
    const { services, endpoints } = status.parse(JSON.parse(await temper('status', '--output', 'json')));
    const pids = new Map(services.map(({ name, pid }) => [name, pid]));
    return await use({ endpoints, services: () => [...pids.keys()], pidOf: (name) => pids.get(name), temper });
  } finally {
    await temper('down');
  }
}
