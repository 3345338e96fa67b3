import type { Fault as ProxyFault } from '../../../lab/proxy/faults.ts';
import type { TestLab } from '../../e2e/support/lab.ts';
import { addFault, faultsNow, forgetFaults } from '../../e2e/support/recorded.ts';
import { lasting } from './fault.ts';

const LOOK_MS = 200;

/** What the proxy in front of Ironic does to matching requests. */
export type Disturbance = Partial<ProxyFault> & { readonly times: number };

/** The proxy disturbs requests until the work is done; `hits` counts those that it has disturbed. */
export async function whileDisturbed<T>(
  ironic: TestLab,
  disturbances: readonly Disturbance[],
  act: (hits: () => Promise<number>) => Promise<T>,
): Promise<T> {
  const sum = (faults: readonly { readonly times: number }[]): number =>
    faults.reduce((all, { times }) => all + times, 0);
  for (const one of disturbances) await addFault(ironic, one);
  try {
    return await act(async () => sum(disturbances) - sum(await faultsNow(ironic)));
  } finally {
    await forgetFaults(ironic);
  }
}

/** Waits until a request was disturbed, but not longer than a fault may last. */
export async function firstHit(hits: () => Promise<number>, longestMs: number): Promise<boolean> {
  for (let left = longestMs; left > 0; left -= LOOK_MS) {
    if ((await hits()) > 0) return true;
    await lasting(LOOK_MS);
  }
  return false;
}
