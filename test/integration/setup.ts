import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { createPrograms } from '../../lab/binaries/programs.ts';
import { startControlPlane } from '../../lab/control-plane/control-plane.ts';
import type { OnProgress } from '../../lab/progress.ts';
import { openSession } from '../../lab/supervisor/session.ts';
import { cachedBundle } from '../../workers/bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of an administrator's kubeconfig; our CRDs are served. */
    kubeconfig: string;
    temporalAddress: string;
    /** The Temporal command line. */
    temporalCli: string;
    /** Path of the bundled workflow that records what the bridge sends. */
    recorderBundle: string;
  }
}

const NO_PREFERENCE = {
  etcd: undefined,
  etcdPeer: undefined,
  kubeApiserver: undefined,
  kubeControllerManager: undefined,
  temporal: undefined,
  temporalUi: undefined,
  temporalMetrics: undefined,
};

/** One control plane for all integration tests; they are separated by namespaces and workflow ids. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'temper-integration-'));
  const session = await openSession({ dir, ephemeral: true, report });
  try {
    const ports = await session.ports(NO_PREFERENCE);
    const onProgress: OnProgress = (event) => {
      if (event.kind === 'detail') report(event.step, event.detail ?? '');
    };
    const { kubeconfig, temporalAddress, temporalCli } = await startControlPlane(
      session,
      ports,
      onProgress,
      createPrograms(onProgress),
      process.env['TEMPER_SIGNALS'] === undefined ? { suggestNewRunAt: 1_000 } : {},
    );
    project.provide('kubeconfig', kubeconfig);
    project.provide('temporalAddress', temporalAddress);
    project.provide('temporalCli', temporalCli);
    project.provide('recorderBundle', await recorderBundle(dir));
    // For files that run Temper's own workflows.
    await cachedBundle();
  } catch (error) {
    await session.close();
    throw error;
  }
  return () => session.close();
}

async function recorderBundle(dir: string): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('./bridge/recorder-workflow.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath });
  const file = join(dir, 'recorder-workflow.js');
  await writeFile(file, code);
  return file;
}

let lastReport = 0;

/** Shows the progress of a slow first start without flooding the output. */
function report(name: string, message: string): void {
  if (Date.now() - lastReport < 5_000) return;
  lastReport = Date.now();
  process.stderr.write(`lab: ${name}: ${message}\n`);
}
