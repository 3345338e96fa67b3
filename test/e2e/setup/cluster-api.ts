import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { shareLab } from './share.ts';

/** All machines that the files of the project take by number, plus one for the project's first documents. */
const MACHINES = 24;

export default (project: TestProject): Promise<() => Promise<void>> =>
  shareLab(project, {
    machines: MACHINES,
    machinesFile: fileURLToPath(new URL('../../../examples/seed-test1-machines.yaml', import.meta.url)),
    clusterApi: true,
  });
