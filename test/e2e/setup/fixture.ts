import type { TestProject } from 'vitest/node';
import { connectKube } from '../../../kube/client.ts';
import { serveClusterApi } from '../support/kinds.ts';
import { SHARED_SETTINGS, SHARING } from '../support/place/quick-fixture.ts';
import { shareLab } from './share.ts';

const temperEnv = { ...SHARED_SETTINGS, WATCH_NAMESPACE: SHARING.join(',') };

export default (project: TestProject): Promise<() => Promise<void>> =>
  shareLab(project, { provisioner: 'fixture', temperEnv }, async ({ endpoints }) => {
    const kube = connectKube(endpoints.kubeconfig);
    try {
      await serveClusterApi(kube);
    } finally {
      await kube.close();
    }
  });
