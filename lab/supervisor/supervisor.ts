import { join } from 'node:path';
import { messageOf } from '../../domain/message-of.ts';
import { processIdentityOf } from '../../platform/process-identity.ts';
import type { Service } from '../service.ts';
import { endGroup, signalGroup } from './process-group.ts';
import { type ServiceProcess, spawnService, tailOf } from './service-process.ts';
import { LAB_DIR_VARIABLE } from './stale.ts';
import type { StateFile } from './state.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export interface SupervisorOptions {
  readonly dir: string;
  readonly state: StateFile;
  readonly readyTimeoutMs?: number;
  /** Delete the folder when the supervisor is killed. */
  readonly ephemeral?: boolean;
  /** Called when a service ends unexpectedly after it was ready. */
  readonly onCrash?: (name: string, ending: string) => void;
}

interface Running {
  readonly service: Service;
  readonly process: ServiceProcess;
  /** The caller that stops or starts the service handles its end. */
  endExpected: boolean;
}

/**
 * When a service was first started and when it was ready, as ticks of one counter: services that were ready earlier may
 * be needed by later ones.
 */
interface Known {
  readonly service: Service;
  readonly spawned: number;
  readonly ready: number;
}

const ENDING_SIGNALS: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT'];

/** Starts services in process groups of their own, and ends them all however it ends itself. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #watchdog: Watchdog;
  readonly #known = new Map<string, Known>();
  readonly #running = new Map<string, Running>();
  #tick = 0;
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#watchdog = startWatchdog(options.ephemeral === true ? options.dir : undefined);
  }

  get watchdogPid(): number {
    return this.#watchdog.pid;
  }

  names(): readonly string[] {
    return [...this.#known.keys()];
  }

  pidOf(name: string): number | undefined {
    return this.#running.get(name)?.process.pid;
  }

  logOf(name: string): string {
    return join(this.#options.dir, 'logs', `${name}.log`);
  }

  /** Starts a service and returns when it is ready; does nothing when it is running. */
  async start(service: Service): Promise<void> {
    if (this.#stopping) throw new Error(`${service.name} is not started: the lab is stopping`);
    if (this.#running.has(service.name)) return;
    this.#tick += 1;
    const spawned = this.#known.get(service.name)?.spawned ?? this.#tick;
    const running = this.#spawn(service);
    try {
      await this.#untilReady(running);
    } catch (error) {
      const tail = tailOf(this.logOf(service.name));
      await this.stop(service.name);
      const reason = messageOf(error);
      throw new Error(`${reason}\nEnd of ${this.logOf(service.name)}:\n${tail}`, { cause: error });
    }
    running.endExpected = false;
    this.#tick += 1;
    this.#known.set(service.name, { service, spawned, ready: this.#known.get(service.name)?.ready ?? this.#tick });
  }

  /** Starts a service again that was stopped, killed, or died. */
  async startAgain(name: string): Promise<void> {
    const known = this.#known.get(name);
    if (known === undefined) throw new Error(`the lab has no service ${name}, only ${this.names().join(', ')}`);
    await this.start(known.service);
  }

  /** Ends a service with SIGTERM first. */
  async stop(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    await this.#end(running, running.service.stopSignal ?? 'SIGTERM', 10_000);
  }

  /** Sends a signal to the whole group of a service; with a signal that ends processes, returns when all have ended. */
  async kill(name: string, signal: NodeJS.Signals): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) throw new Error(`the lab's ${name} is not running, so it cannot be sent ${signal}`);
    if (ENDING_SIGNALS.includes(signal)) await this.#end(running, signal, 30_000);
    else signalGroup(running.process.pid, signal);
  }

  /** Ends everything: each service before those that it may depend on, and the watchdog last. */
  async stopAll(): Promise<void> {
    this.#stopping = true;
    const ends = new Map<string, Promise<void>>();
    const lastFirst = [...this.#known.values()].sort((a, b) => b.spawned - a.spawned);
    for (const { service, ready } of lastFirst) {
      const dependants = lastFirst.flatMap((other) =>
        other.spawned > ready ? (ends.get(other.service.name) ?? []) : [],
      );
      ends.set(
        service.name,
        Promise.allSettled(dependants).then(() => this.stop(service.name)),
      );
    }
    const results = await Promise.allSettled(ends.values());
    // Services that are still starting are not in the list of known ones.
    results.push(...(await Promise.allSettled([...this.#running.keys()].map((name) => this.stop(name)))));
    await this.#watchdog.dismiss();
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failures.length > 0) throw new AggregateError(failures, 'not every process of the lab could be ended');
  }

  async #untilReady({ service, process }: Running): Promise<void> {
    const abort = new AbortController();
    const timeoutMs = this.#options.readyTimeoutMs ?? 180_000;
    const timer = setTimeout(() => abort.abort(new Error(`${timeoutMs / 1000} s have passed`)), timeoutMs);
    const died = process.ended.then((ending) => {
      const error = new Error(`${service.name} ended with ${ending} before it was ready`);
      abort.abort(error);
      throw error;
    });
    try {
      await Promise.race([service.ready(abort.signal), died]);
    } finally {
      clearTimeout(timer);
      died.catch(() => undefined);
    }
  }

  #spawn(service: Service): Running {
    const process = spawnService(service, this.logOf(service.name), { [LAB_DIR_VARIABLE]: this.#options.dir });
    this.#watchdog.guard(process.pid);
    const running: Running = { service, process, endExpected: true };
    this.#running.set(service.name, running);
    const identity = processIdentityOf(process.pid);
    if (identity !== undefined) {
      this.#record((all) => ({ ...all, [service.name]: { ...identity, log: this.logOf(service.name) } }));
    }
    void process.ended.then((ending) => this.#ended(running, ending));
    return running;
  }

  async #end(running: Running, signal: NodeJS.Signals, graceMs: number): Promise<void> {
    running.endExpected = true;
    await endGroup(running.process.pid, signal, graceMs);
    await running.process.ended;
    this.#forget(running);
  }

  /** A leader that died leaves its children behind: they are ended too. */
  async #ended(running: Running, ending: string): Promise<void> {
    if (running.endExpected) return;
    await endGroup(running.process.pid, 'SIGTERM', 2_000).catch(() => undefined);
    this.#forget(running);
    this.#options.onCrash?.(running.service.name, ending);
  }

  #forget(running: Running): void {
    const { name } = running.service;
    this.#watchdog.release(running.process.pid);
    if (this.#running.get(name) !== running) return;
    this.#running.delete(name);
    this.#record(({ [name]: _gone, ...rest }) => rest);
  }

  #record(change: (processes: Processes) => Processes): void {
    this.#options.state.update((state) => ({ ...state, processes: change(state.processes) }));
  }
}

type Processes = ReturnType<StateFile['read']>['processes'];
