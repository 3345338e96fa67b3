import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { IronicEndpoints } from '../../../lab/ironic/ironic-lab.ts';
import type { FixtureEndpoints, FixtureLabOptions, LabOptions } from '../../../lab/lab.ts';
import { startLab } from '../../../lab/lab.ts';
import type { LabMachine } from '../../../lab/machines/machine.ts';
import { cachedBundle } from '../../../workers/bundle.ts';

/** The lab that a test file shares with others. */
export interface SharedLab {
  readonly dir: string;
  readonly endpoints: FixtureEndpoints & Partial<IronicEndpoints>;
  readonly machines: readonly LabMachine[];
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Absent where every file has a lab of its own. */
    sharedLab: SharedLab | undefined;
  }
}

/**
 * An unused namespace: the bridge of the lab serves webhooks and conversions, and every file has its own bridge for
 * everything else, unless the settings name namespaces.
 */
const NOBODYS = 'nobodys';

type Settings = Omit<LabOptions, 'dir'> | Omit<FixtureLabOptions, 'dir'>;

/** Starts one lab for all files of a project, and ends it after the last. */
export async function shareLab(
  project: TestProject,
  settings: Settings,
  furnish: (lab: SharedLab) => Promise<void> = () => Promise.resolve(),
): Promise<() => Promise<void>> {
  // Workers of all files use the cached one.
  await cachedBundle();
  const dir = await mkdtemp(join(tmpdir(), 'temper-e2e-'));
  const { temperEnv, ...others } = settings;
  const common = {
    dir,
    preferredPorts: false,
    ephemeral: true,
    temper: true,
    temperEnv: { WATCH_NAMESPACE: NOBODYS, ...temperEnv },
  } as const;
  const lab = await (others.provisioner === 'fixture'
    ? startLab({ ...others, ...common, provisioner: 'fixture' })
    : startLab({ ...others, ...common }));
  try {
    const shared = { dir, endpoints: lab.endpoints, machines: lab.machines };
    await furnish(shared);
    project.provide('sharedLab', shared);
    return () => lab.stop();
  } catch (error) {
    await lab.stop();
    throw error;
  }
}
