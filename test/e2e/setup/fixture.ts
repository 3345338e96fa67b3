import type { TestProject } from 'vitest/node';
import { connectKube } from '../../../kube/client.ts';
import { serveClusterApi } from '../support/kinds.ts';
import { shareLab } from './share.ts';

export default (project: TestProject): Promise<() => Promise<void>> =>
  shareLab(project, { provisioner: 'fixture' }, async ({ endpoints }) => {
    const kube = connectKube(endpoints.kubeconfig);
    try {
      await serveClusterApi(kube);
    } finally {
      await kube.close();
    }
  });
