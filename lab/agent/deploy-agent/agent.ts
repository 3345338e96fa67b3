import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDisk } from '../../disk/disk.ts';
import type { LabMachine } from '../../machines/machine.ts';
import type { Ramdisk } from '../machine/ramdisk.ts';
import type { Latency } from '../settings.ts';
import type { AgentMemory, MemoryFile } from './agent-memory.ts';
import { type Bell, createBell } from './bell.ts';
import { type CommandRecord, failed, started, succeeded } from './command.ts';
import type { FailureStore } from './failures.ts';
import { inspectionReport } from './inventory.ts';
import type { AgentApi } from './ironic-api.ts';
import {
  type AgentStep,
  CLEAN_STEPS,
  DEPLOY_STEPS,
  runCleanStep,
  runDeployStep,
  type StepContext,
  type StepNode,
} from './steps.ts';

/**
 * Pauses between attempts to reach Ironic: Ironic unlocks the node soon after it saw the power on, and each attempt
 * costs requests.
 */
const KNOCK_MS = [150, 150, 300, 600];
const LONGEST_KNOCK_MS = 1000;
/**
 * How long an agent waits for Ironic to read the power. Ironic reads it after it has switched a machine on itself;
 * after a person did, nobody may read it.
 */
const UNSEEN_MS = 5000;
/** Pauses between unanswered heartbeats: Ironic accepts a heartbeat to a locked node and then drops it. */
const BEAT_MS = [300, 500, 1000, 2000, 5000];
const LONGEST_BEAT_MS = 10_000;

export interface AgentDeps {
  readonly machine: LabMachine;
  readonly callbackUrl: string;
  readonly ironic: AgentApi;
  readonly disk: AgentDisk;
  readonly failures: FailureStore;
  readonly memoryFile: MemoryFile;
  readonly latency: Latency;
  powerOff(): Promise<void>;
  reboot(): Promise<void>;
}

interface CommandRequest {
  readonly name: string;
  readonly params: unknown;
}

/** The deploy agent in the RAM of one machine, from its boot until the machine is powered off. */
export class Agent {
  readonly #deps: AgentDeps;
  readonly #halt = new AbortController();
  readonly #bell: Bell = createBell();
  readonly #seen = Promise.withResolvers<void>();
  #memory: AgentMemory;

  private constructor(deps: AgentDeps, memory: AgentMemory) {
    this.#deps = deps;
    this.#memory = memory;
  }

  /** Boots the agent from a medium. `onCrash` is called with the error that ends the agent. */
  static boot(deps: AgentDeps, ramdisk: Ramdisk, onCrash: (error: unknown) => void): Agent {
    const agent = new Agent(deps, { commands: [], ...(ramdisk.token ? { token: ramdisk.token } : {}) });
    agent.#live(async () => {
      const slow = await deps.failures.take('slow-boot');
      await agent.#pause(deps.latency.bootMs + (slow?.milliseconds ?? 0));
      await Promise.race([agent.#seen.promise, agent.#pause(UNSEEN_MS)]);
      if (await deps.failures.take('silent-agent')) return;
      if (await agent.#introduce(ramdisk)) await agent.#beat();
    }, onCrash);
    return agent;
  }

  /** Resumes an agent after a restart of the server: its machine has stayed on. */
  static resume(deps: AgentDeps, memory: AgentMemory, onCrash: (error: unknown) => void): Agent {
    const agent = new Agent(deps, memory);
    agent.#live(async () => {
      const { running } = memory;
      const record = running && memory.commands.find(({ id }) => id === running.id);
      if (running && record) void agent.#finish(record, running);
      if (memory.node === undefined && !(await agent.#introduce({}))) return;
      await agent.#beat();
    }, onCrash);
    return agent;
  }

  get commands(): readonly CommandRecord[] {
    return this.#memory.commands;
  }

  knows(token: string | undefined): boolean {
    return token !== undefined && token === this.#memory.token;
  }

  /** Ironic or somebody else has read the power state as on. */
  powerWasSeen(): void {
    this.#seen.resolve();
  }

  /** The machine is powered off: the agent sends nothing any more. */
  async halt(): Promise<void> {
    this.#halt.abort();
    await this.#deps.memoryFile.forget();
  }

  /** Takes a command. Steps and slow commands answer RUNNING first, unless the caller waits. */
  async execute(request: CommandRequest, wait: boolean): Promise<CommandRecord | 'busy'> {
    if (this.#memory.running) return 'busy';
    this.#bell.ring('command');
    const record = started(request.name);
    await this.#remember({
      ...this.#memory,
      commands: [...this.#memory.commands, record],
      running: { id: record.id, ...request },
    });
    const done = this.#finish(record, request);
    return wait || !request.name.includes('.execute_') ? done : record;
  }

  async #finish(record: CommandRecord, { name, params }: CommandRequest): Promise<CommandRecord> {
    const end = await this.#perform(name, params).then(
      (result) => succeeded(record, result),
      (error: unknown) => failed(record, error),
    );
    if (this.#halt.signal.aborted) return end;
    const { running: _, ...rest } = this.#memory;
    await this.#remember({ ...rest, commands: rest.commands.map((one) => (one.id === end.id ? end : one)) });
    if (name.includes('.execute_')) this.#bell.ring('finished');
    return end;
  }

  #perform(name: string, params: unknown): Promise<unknown> {
    const { step, node = {} } = (params ?? {}) as { step?: AgentStep; node?: StepNode };
    switch (name) {
      case 'clean.get_clean_steps':
        return Promise.resolve(CLEAN_STEPS);
      case 'deploy.get_deploy_steps':
        return Promise.resolve(DEPLOY_STEPS);
      case 'clean.execute_clean_step':
        return runCleanStep(this.#stepContext(), step ?? { interface: '', step: '' }, node);
      case 'deploy.execute_deploy_step':
        return runDeployStep(this.#stepContext(), step ?? { interface: '', step: '' });
      case 'standby.get_partition_uuids':
        return Promise.resolve({});
      case 'log.collect_system_logs':
        return Promise.resolve({ system_logs: '' });
      case 'standby.power_off':
        // The answer must be sent before the machine powers off.
        setImmediate(() => void this.#deps.powerOff());
        return Promise.resolve(null);
      case 'standby.reboot':
      case 'standby.run_image':
        setImmediate(() => void this.#deps.reboot());
        return Promise.resolve(null);
      case 'standby.sync':
      case 'image.install_bootloader':
      case 'system.lockdown':
        return Promise.resolve(null);
      default:
        return Promise.reject(new Error(`the simulated agent has no command ${name}`));
    }
  }

  #stepContext(): StepContext {
    const { disk, failures, latency, machine } = this.#deps;
    const { signal } = this.#halt;
    return {
      disk,
      disks: machine.inventory.disks,
      failures,
      signal,
      stepMs: latency.stepMs,
      pause: (milliseconds) => this.#pause(milliseconds),
    };
  }

  /**
   * Looks up the agent's node. Returns false for an inspection, after which Ironic powers the machine off, and for a
   * discovery.
   */
  async #introduce({ purpose }: Ramdisk): Promise<boolean> {
    for (let attempt = 0; ; attempt += 1) {
      await this.#pause(KNOCK_MS[attempt] ?? LONGEST_KNOCK_MS);
      // If Ironic accepts the inventory, or knows the machine already, there is nothing more to do.
      if (purpose === 'discovery' && (await this.#inspect()) !== 'later') return false;
      if (purpose === 'discovery') continue;
      // The lookup also finds a node that is being inspected: only its lock and Ironic's answer show what Ironic wants.
      if (purpose === 'inspection' || (await this.#isFound())) {
        const inspection = purpose === 'work' ? 'unwanted' : await this.#inspect();
        if (inspection === 'accepted') return false;
        if (inspection === 'unwanted' && purpose !== 'inspection') return true;
      }
    }
  }

  async #isFound(): Promise<boolean> {
    if (this.#memory.node !== undefined) return true;
    const { ironic, machine } = this.#deps;
    const macs = machine.inventory.nics.map(({ mac }) => mac);
    const found = await ironic.lookup(macs, this.#halt.signal);
    const token = found?.token ?? this.#memory.token;
    if (found === undefined || token === undefined) return false;
    await this.#remember({ ...this.#memory, node: found.node, token });
    return true;
  }

  async #inspect(): Promise<'accepted' | 'unwanted' | 'later'> {
    const { ironic, machine, failures } = this.#deps;
    const failure = failures.list().find(({ kind }) => kind === 'inspection');
    const error = failure?.kind === 'inspection' ? failure.message : null;
    const answer = await ironic.continueInspection(inspectionReport(machine, error), this.#halt.signal);
    if (answer === 'accepted' && error !== null) await failures.take('inspection');
    return answer;
  }

  async #beat(): Promise<never> {
    const { ironic, callbackUrl } = this.#deps;
    const { node, token } = this.#memory;
    if (node === undefined || token === undefined) throw new Error('an agent without node and token cannot heartbeat');
    for (let unanswered = 0; ; ) {
      await ironic.heartbeat(node, token, callbackUrl, this.#halt.signal);
      const pause = BEAT_MS[unanswered] ?? LONGEST_BEAT_MS;
      const sound = await this.#bell.within(pause, this.#halt.signal);
      unanswered = sound === undefined ? unanswered + 1 : 0;
      // Ironic is working on this node: it would drop a heartbeat while the node is locked.
      if (sound === 'command') while ((await this.#bell.within(this.#quietMs(), this.#halt.signal)) === 'command');
    }
  }

  #quietMs(): number {
    return this.#memory.running ? LONGEST_BEAT_MS : 1000;
  }

  async #remember(memory: AgentMemory): Promise<void> {
    this.#memory = memory;
    await this.#deps.memoryFile.write(memory);
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#halt.signal });
  }

  #live(life: () => Promise<unknown>, onCrash: (error: unknown) => void): void {
    life().catch((error: unknown) => {
      if (!this.#halt.signal.aborted) onCrash(error);
    });
  }
}
