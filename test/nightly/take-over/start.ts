import { type LabOptions, startLab } from '../../../lab/lab.ts';
import { kubectl } from '../../e2e/support/hosts.ts';
import { type TestLab, withKube } from '../../e2e/support/lab.ts';
import { portsIn, unpack } from './archive.ts';
import { MACHINES } from './story.ts';

/** Starts of the record's lab. */

/** Of the operators of Metal3: they have no server any more. */
const WEBHOOKS = {
  validatingwebhookconfigurations: ['baremetal-operator', 'capm3', 'ipam'],
  mutatingwebhookconfigurations: ['capm3', 'ipam'],
} as const;

export const start = async (dir: string, options: Partial<LabOptions>): Promise<TestLab> =>
  withKube(
    await startLab({ dir, machines: MACHINES, proxy: true, clusterApi: true, preferredPorts: false, ...options }),
  );

/** Unpacks the record, lets `look` see it as the operators left it, and removes their webhooks. */
export async function startRecord(dir: string, look: (lab: TestLab) => Promise<unknown>): Promise<void> {
  const ports = await unpack(dir);
  const lab = await start(dir, { temper: false, crds: false });
  try {
    await requirePorts(dir, ports);
    await look(lab);
    for (const [kind, prefixes] of Object.entries(WEBHOOKS)) {
      const singular = kind.replace(/webhookconfigurations$/, '-webhook-configuration');
      await kubectl(lab, ['delete', kind, ...prefixes.map((prefix) => `${prefix}-${singular}`)]);
    }
  } finally {
    await lab.stop();
  }
}

/** Objects and Ironic's database contain the ports of the recorded lab, so they must be free. */
async function requirePorts(dir: string, wanted: Readonly<Record<string, number>>): Promise<void> {
  const moved = Object.entries(await portsIn(dir)).filter(([name, port]) => name in wanted && wanted[name] !== port);
  if (moved.length > 0)
    throw new Error(`ports of the record are in use: ${moved.map(([name]) => `${name} ${wanted[name]}`).join(', ')}`);
}
