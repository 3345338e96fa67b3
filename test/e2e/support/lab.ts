import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lab, type LabOptions, startLab } from '../../../lab/lab.ts';
import { connectKube, type Kube } from '../../../platform/kube.ts';

export interface TestLab extends Lab {
  readonly kube: Kube;
}

/** A lab of its own on free ports, gone without a trace when it is stopped. */
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
  });
  const kube = connectKube(lab.endpoints.kubeconfig);
  return {
    ...lab,
    kube,
    stop: async () => {
      await kube.close();
      await lab.stop();
    },
  };
}
