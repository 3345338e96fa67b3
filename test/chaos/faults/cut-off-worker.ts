import { credentialsIn } from '../../../lab/rights.ts';
import type { TestLab } from '../../e2e/support/lab.ts';
import { ROOT } from '../../e2e/support/start.ts';
import { startWorkers } from '../../e2e/support/versions/release.ts';
import { openLink } from '../link.ts';
import { duration, type Fault, lasting } from './fault.ts';

const LOOK_MS = 500;
const START_MS = 180_000;

/** A second worker, which reaches everything but Ironic, gets its part of the tasks. */
export const cutOffWorker = (lab: TestLab): Fault => ({
  name: 'run a worker without Ironic beside the other one',
  async do({ dir, links, longestMs }, random) {
    const nowhere = await openLink(() => undefined);
    const endpoints = {
      ...lab.endpoints,
      kubeconfig: credentialsIn(dir).workers,
      temporalAddress: `127.0.0.1:${links.get('temporal')?.port}`,
    };
    const workers = await startWorkers(ROOT, endpoints, {
      PROVISIONER: 'ironic',
      IRONIC_ENDPOINT: `http://127.0.0.1:${nowhere.port}/v1/`,
      IRONIC_PATIENCE: '1m',
      DEPLOY_ISO_URL: lab.endpoints.deployIso,
      TEMPER_LAB: 'true',
    });
    try {
      // It may not become ready: without a list of nodes it takes no tasks that need Ironic.
      for (let left = START_MS; (await workers.readiness()).status === 0; left -= LOOK_MS) {
        if (left <= 0) throw new Error(`the second worker has not started: ${workers.log()}`);
        await lasting(LOOK_MS);
      }
      const beside = duration(random, longestMs);
      await lasting(beside);
      return `for ${beside} ms`;
    } finally {
      await workers.stop();
      await nowhere.close();
    }
  },
});
