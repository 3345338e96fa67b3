import type { TestProject } from 'vitest/node';
import { BMC_PASSWORD } from './bmc-password.ts';
import { shareLab } from './share.ts';

/** All machines that the files of the project take, in blocks of four, and some spare ones. */
const MACHINES = 88;

export default (project: TestProject): Promise<() => Promise<void>> =>
  shareLab(project, {
    machines: MACHINES,
    bmc: { username: 'admin', password: BMC_PASSWORD },
    fakeHardwareDelay: '1',
    // A longer interval, because each check asks the BMCs of all hosts of all files.
    powerSync: 15,
  });
