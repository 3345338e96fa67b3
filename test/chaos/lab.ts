import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withClocks } from '../../lab/clock/clock.ts';
import { startLab } from '../../lab/lab.ts';
import { stateFile } from '../../lab/supervisor/state.ts';
import { serveClusterApi } from '../e2e/support/kinds.ts';
import { withKube } from '../e2e/support/lab.ts';
import { aCluster } from '../e2e/support/machines.ts';
import { QUICK_FIXTURE, WITH_SLOTS } from '../e2e/support/place/quick-fixture.ts';
import type { Battered, Server } from './faults/fault.ts';
import { type AnyTestLab, fixtureGround, type Ground, ironicGround } from './hosts.ts';
import type { Journal } from './journal.ts';
import { type Link, openLink } from './link.ts';

export type On = 'fixture' | 'ironic';

export interface ChaosLab {
  readonly lab: AnyTestLab;
  readonly ground: Ground;
  readonly battered: Battered;
  stop(): Promise<void>;
}

interface ChaosLabOptions {
  /** The folder. Its content is deleted first; the folder stays after the campaign. */
  readonly dir: string;
  readonly hosts: number;
  readonly longestMs: number;
  readonly journal: Journal;
}

const PORTS: Readonly<Record<Server, string>> = { kubernetes: 'kubeApiserver', temporal: 'temporal', ironic: 'proxy' };

/**
 * A lab whose bridge and workers reach the servers through links that can be cut, with the accounts and roles of an
 * installation, and whose API server writes an audit log. Without webhooks, because people go on while there is no
 * bridge.
 */
export async function startChaosLab(on: On, { dir, hosts, longestMs, journal }: ChaosLabOptions): Promise<ChaosLab> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const clocks = join(dir, 'clocks');
  const portOf = (server: Server): number | undefined => stateFile(dir).read().ports[PORTS[server]];
  const servers: readonly Server[] =
    on === 'ironic' ? ['kubernetes', 'temporal', 'ironic'] : ['kubernetes', 'temporal'];
  const links = new Map<Server, Link>();
  for (const server of servers) links.set(server, await openLink(() => portOf(server)));
  const closeLinks = async (): Promise<void> => {
    for (const link of links.values()) await link.close();
  };
  try {
    const temperEnv = {
      ...QUICK_FIXTURE,
      ...withClocks(clocks),
      WEBHOOK_PORT: '0',
      TEMPORAL_ADDRESS: `127.0.0.1:${links.get('temporal')?.port}`,
      ...(on === 'ironic' && {
        IRONIC_ENDPOINT: `http://127.0.0.1:${links.get('ironic')?.port}/v1/`,
        // Nodes that Ironic has lost are missed soon.
        IRONIC_SWEEP_INTERVAL: '5s',
      }),
    };
    const common = {
      dir,
      temper: true,
      temperEnv,
      apiServerOfTemper: `https://127.0.0.1:${links.get('kubernetes')?.port}`,
      auditContents: true,
      preferredPorts: false,
      restart: true,
      report: (name: string, message: string) => journal.note({ kind: 'note', text: `${name} ${message}` }),
    } as const;
    const [lab, ground] = await (on === 'ironic' ? onIronic(common, hosts) : onFixture(common));
    await serveClusterApi(lab.kube);
    await aCluster(lab, 'cluster');
    const killRunning = async (name: string, signal: NodeJS.Signals): Promise<void> => {
      // A process that ended by itself is already being started again.
      if (lab.pidOf(name) !== undefined) await lab.kill(name, signal);
    };
    return {
      lab,
      ground,
      battered: {
        dir,
        services: () => lab.services(),
        kill: killRunning,
        start: (name) => lab.start(name),
        links,
        clocks,
        journal,
        longestMs,
      },
      async stop() {
        await lab.stop();
        await closeLinks();
      },
    };
  } catch (error) {
    await closeLinks();
    throw error;
  }
}

type Common = Omit<Parameters<typeof startLab>[0], 'provisioner'>;

async function onFixture(common: Common): Promise<readonly [AnyTestLab, Ground]> {
  const temperEnv = { ...common.temperEnv, ...WITH_SLOTS };
  return [withKube(await startLab({ ...common, temperEnv, provisioner: 'fixture' })), fixtureGround];
}

async function onIronic(common: Common, machines: number): Promise<readonly [AnyTestLab, Ground]> {
  const lab = withKube(await startLab({ ...common, machines, proxy: true }));
  return [lab, ironicGround(lab)];
}
