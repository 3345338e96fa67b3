import { basename } from 'node:path';
import { expect, inject } from 'vitest';

/**
 * The control plane that all files share, with a namespace of Temporal for each file, because task queues have fixed
 * names.
 */
export interface SharedControlPlane {
  readonly kubeconfig: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
}

export const sharedControlPlane = (): SharedControlPlane => ({
  kubeconfig: inject('kubeconfig'),
  temporalAddress: inject('temporalAddress'),
  temporalNamespace: basename(expect.getState().testPath ?? '', '.test.ts'),
});
