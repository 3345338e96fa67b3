import { openSession } from '../supervisor/session.ts';
import type { IronicLab, IronicLabOptions } from './ironic-lab.ts';
import { prepareIronic } from './ironic-lab.ts';

export interface StandaloneOptions extends Omit<IronicLabOptions, 'ports'> {
  /** Start the recording proxy in front of Ironic. */
  readonly proxy: boolean;
  /** Delete the folder at the end. */
  readonly ephemeral: boolean;
}

export interface StandaloneIronic extends IronicLab {
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  start(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Ironic with its machines only: no Kubernetes, no Temporal. Ports are random. */
export const startIronic = async (options: StandaloneOptions): Promise<StandaloneIronic> => {
  const session = await openSession({ dir: options.dir, ephemeral: options.ephemeral });
  try {
    const wanted = { ironic: undefined, redfish: undefined, agent: undefined, proxy: undefined };
    const { proxy, ...ports } = await session.ports(wanted);
    const lab = await prepareIronic({ ...options, ports: options.proxy ? { ...ports, proxy } : ports });
    for (const service of lab.services) await session.supervisor.start(service);
    return {
      ...lab,
      kill: (name, signal) => session.supervisor.kill(name, signal),
      start: (name) => session.supervisor.startAgain(name),
      stop: () => session.close(),
    };
  } catch (error) {
    await session.close();
    throw error;
  }
};
