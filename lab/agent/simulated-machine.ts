import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type DiskContent, openDisk } from '../disk/disk.ts';
import type { Failure } from '../machines/failure.ts';
import type { LabMachine } from '../machines/machine.ts';
import { bootNode, type NodeDeps, type NodeView, type SimulatedNode } from '../node/node.ts';
import { Agent, type AgentDeps } from './deploy-agent/agent.ts';
import { memoryFile } from './deploy-agent/agent-memory.ts';
import { openFailures } from './deploy-agent/failures.ts';
import type { AgentApi } from './deploy-agent/ironic-api.ts';
import type { Boot } from './machine/power.ts';
import { type Ramdisk, ramdiskOn } from './machine/ramdisk.ts';
import type { Bmc } from './machine/redfish-api.ts';
import type { Latency } from './settings.ts';

export interface MachineView {
  readonly name: string;
  readonly uuid: string;
  readonly running: 'nothing' | 'disk' | 'agent' | 'medium';
  /** Number of boots of the agent since the server started. */
  readonly agentBoots: number;
  /** How often its power went off since the server started. */
  readonly powerOffs: number;
  readonly commands: readonly string[];
  readonly disk: DiskContent;
  readonly failures: readonly Failure[];
  /** The machine's Kubernetes Node; null when it has none. */
  readonly node: NodeView | null;
}

export interface SimulatedMachine {
  readonly agent: Agent | undefined;
  /** Follows a change of power; calls are processed in order. */
  follow(boot: Boot): void;
  /** Finds out what the machine was doing before the server started; false when its BMC does not answer. */
  recover(): Promise<boolean>;
  view(): Promise<MachineView>;
  fail(failures: readonly Failure[]): Promise<void>;
}

export interface MachineDeps {
  readonly machine: LabMachine;
  readonly disksDir: string;
  readonly callbackUrl: string;
  readonly ironic: AgentApi;
  readonly bmc: Bmc;
  readonly latency: Latency;
  /** Without an image on its disk, the machine boots the deploy agent from the network. */
  readonly bootsFromNetwork: boolean;
  /** Present when machines join the clusters for which they are deployed. */
  readonly nodes: Pick<NodeDeps, 'settings' | 'processes'> | undefined;
  readonly log: Logger;
}

/** One simulated machine: a disk, and an agent while a medium with an agent is booted. */
export const openMachine = async (deps: MachineDeps): Promise<SimulatedMachine> => {
  const { machine, bmc, log } = deps;
  const folder = join(deps.disksDir, machine.name);
  const disk = await openDisk(folder);
  const failures = await openFailures(folder, machine.failures);
  const memory = memoryFile(folder);
  let running: MachineView['running'] = 'nothing';
  let agentBoots = 0;
  let powerOffs = 0;
  let agent: Agent | undefined;
  let node: SimulatedNode | undefined;
  let recovered = false;
  let turn: Promise<void> = Promise.resolve();

  const warn = (what: string) => (error: unknown) => log.warn({ machine: machine.name, err: error }, what);
  const agentDeps: AgentDeps = {
    ...deps,
    disk,
    failures,
    memoryFile: memory,
    powerOff: () => bmc.power(machine.uuid, 'ForceOff').catch(warn('the agent could not switch its machine off')),
    reboot: () => bmc.power(machine.uuid, 'ForceRestart').catch(warn('the agent could not reboot its machine')),
  };

  const haltNode = async (): Promise<void> => {
    await node?.halt();
    node = undefined;
  };

  const stop = async (): Promise<void> => {
    const stopped = agent;
    agent = undefined;
    await (stopped ? stopped.halt() : memory.forget());
    await haltNode();
  };

  const isDead = (): boolean => failures.list().some(({ kind }) => kind === 'dead-system');

  const startDisk = async (): Promise<void> => {
    running = 'disk';
    if (deps.nodes === undefined || isDead()) return;
    node = bootNode({ ...deps.nodes, machine, rootDir: disk.rootDir, log }, await disk.read());
  };

  const startAgent = (ramdisk: Ramdisk): void => {
    running = 'agent';
    agentBoots += 1;
    agent = Agent.boot(agentDeps, ramdisk, warn('the agent stopped'));
  };

  const startMedium = (medium: Buffer): void => {
    const ramdisk = ramdiskOn(medium);
    if (ramdisk === undefined) running = 'medium';
    else startAgent(ramdisk);
  };

  const startDiskOrNetwork = async (): Promise<void> => {
    if (deps.bootsFromNetwork && (await disk.read()).image === null) startAgent({ purpose: 'discovery' });
    else await startDisk();
  };

  const change = async (boot: Boot): Promise<void> => {
    if (boot.from === 'nothing') {
      // The system stays dead until the machine is powered off.
      if (running === 'disk') await failures.take('dead-system');
      if (running !== 'nothing') powerOffs += 1;
      running = 'nothing';
      await stop();
    } else if (running === 'nothing') {
      if (boot.from === 'disk') await startDiskOrNetwork();
      else startMedium(await readFile(boot.file));
    }
    if (boot.from === 'medium' && boot.isSeen) agent?.powerWasSeen();
    // A running machine ignores a change of its media.
  };

  const recover = async (): Promise<void> => {
    if (recovered) return;
    const { isOn, bootsMedium } = await bmc.state(machine.uuid);
    recovered = true;
    if (!isOn) return stop();
    const known = await memory.read();
    if (known) {
      running = 'agent';
      agent = Agent.resume(agentDeps, known, warn('the agent stopped'));
      return;
    }
    const medium = bootsMedium ? await bmc.medium(machine.uuid) : undefined;
    if (medium) startMedium(medium);
    else await startDisk();
    agent?.powerWasSeen();
  };

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work).catch(warn('following a change of power failed'));
    return turn;
  };

  return {
    get agent() {
      return agent;
    },
    follow: (boot) =>
      void inTurn(async () => {
        await recover();
        await change(boot);
      }),
    recover: async () => {
      await inTurn(() => recover().catch(() => undefined));
      return recovered;
    },
    view: async () => ({
      name: machine.name,
      uuid: machine.uuid,
      running,
      agentBoots,
      powerOffs,
      commands: agent?.commands.map((command) => `${command.command_name} ${command.command_status}`) ?? [],
      disk: await disk.read(),
      failures: failures.list(),
      node: node?.view() ?? null,
    }),
    fail: async (wanted) => {
      await failures.replace(wanted);
      await inTurn(async () => {
        if (isDead()) await haltNode();
      });
    },
  };
};
