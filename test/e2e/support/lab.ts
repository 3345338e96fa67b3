import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectKube, type Kube } from '../../../kube/client.ts';
import { type Lab, type LabOptions, startLab } from '../../../lab/lab.ts';

export interface TestLab extends Lab {
  readonly kube: Kube;
}

/**
 * Lists Ironic's nodes a fifth as often as in the lab. A test waits a moment longer, but for the workers of each file
 * that shares the lab, a list costs Ironic as much CPU time as a request that changes something.
 */
export const FEWER_LISTS = { IRONIC_POLL_INTERVAL: '2000' } as const;

/** A lab of its own on free ports; it is deleted completely when it is stopped. */
export async function aLab(options: Partial<LabOptions> = {}): Promise<TestLab> {
  const dir = await mkdtemp(join(tmpdir(), 'temper-e2e-'));
  const lab = await startLab({
    dir,
    machines: 6,
    temper: true,
    proxy: true,
    preferredPorts: false,
    ephemeral: true,
    ...options,
    temperEnv: { ...FEWER_LISTS, ...options.temperEnv },
  });
  return withKube(lab);
}

/** The lab with a client of its API, which closes when the lab stops. */
export function withKube<L extends Pick<Lab, 'stop'> & { readonly endpoints: { readonly kubeconfig: string } }>(
  lab: L,
): L & { readonly kube: Kube } {
  const kube = connectKube(lab.endpoints.kubeconfig);
  const stop = async (): Promise<void> => {
    await kube.close();
    await lab.stop();
  };
  return { ...lab, kube, stop };
}
