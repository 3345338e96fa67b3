import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { ObjectMeasurement } from '../../domain/metrics/definitions.ts';
import type { StuckObservation } from '../../domain/usual-times/stuck.ts';
import { MOST_MODELS } from '../../domain/usual-times/usual-times.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import type { Entry } from '../../kube/store.ts';
import { hostWorkflowId, stuckObserved } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import type { Tally } from '../binding.ts';
import type { Core } from '../core.ts';
import { sweepEvery } from '../sweeps/every.ts';
import { createKeptTimes } from './kept-times.ts';
import { createStays } from './stays.ts';
import { createStuckHosts } from './stuck-hosts.ts';

interface UsualTimesDeps extends Pick<Around, 'kube' | 'client' | 'stores' | 'ledger' | 'log' | 'now'> {
  /** Namespace of the bridge. */
  readonly namespace: string;
  readonly record: (measurement: ObjectMeasurement) => void;
}

export interface HostTimes {
  /** Wraps a tally, so that it also measures how long hosts stay in their states. */
  measuring(tally: Tally): Tally;
  /** Number of hosts in a busy state. */
  readonly size: number;
  /** Looks for stuck hosts, and keeps what was learned, until aborted. */
  run(
    core: Pick<Core, 'controllers' | 'announce' | 'markCondition'>,
    intervalMs: number | undefined,
    signal: AbortSignal,
  ): Promise<void>;
}

/** A host is shown as stuck this long after its limit at the latest. */
const LOOK_MS = 5_000;
const SAVE_MS = 60_000;

/** Learns how long states take, and finds hosts that take longer. Both cost nothing for a host at rest. */
export function createUsualTimes(deps: UsualTimesDeps): HostTimes {
  const { client, record, log, now } = deps;
  const kept = createKeptTimes(deps);
  const labelOf = createLabels();
  const stays = createStays((model, passage) => {
    kept.learn(model, passage);
    const labels = { state: passage.state, model: labelOf(model) };
    record({ name: 'temper_state_duration_seconds', labels, value: passage.ms / 1_000 });
  }, now);
  return {
    measuring: (tally) => ({
      ...tally,
      shown(before, view) {
        stays.shown(before, view);
        tally.shown(before, view);
      },
      forgotten(last) {
        stays.gone(readObject(last.object));
        tally.forgotten(last);
      },
    }),
    get size() {
      return stays.size;
    },
    async run({ controllers, announce, markCondition }, intervalMs, signal) {
      const binding = controllers.get(KINDS.host.kind)?.binding;
      if (binding === undefined) return;
      const signalRun = signalStuck(client);
      const look = createStuckHosts({ ...deps, binding, stays, kept, announce, markCondition, signal: signalRun });
      await Promise.all([
        sweepEvery({ name: 'stuck hosts', intervalMs: intervalMs ?? LOOK_MS, look }, log, signal),
        sweepEvery({ name: 'usual times', intervalMs: intervalMs ?? SAVE_MS, look: () => kept.save() }, log, signal),
      ]);
    },
  };
}

/** Each remembered model gets a series of its own. */
function createLabels(): (model: string) => string {
  const known = new Set<string>();
  return (model) => {
    if (known.size < MOST_MODELS) known.add(model);
    return known.has(model) ? model : 'other';
  };
}

const DEADLINE_MS = 10_000;

/** Signals a stuck host to its run, for lists of runs. Throws when Temporal does not answer. */
const signalStuck =
  (client: Client) =>
  async (host: Entry, observation: StuckObservation): Promise<void> => {
    const handle = client.workflow.getHandle(hostWorkflowId(host));
    await client.connection
      .withDeadline(Date.now() + DEADLINE_MS, () => handle.signal(stuckObserved, observation))
      .catch((error: unknown) => {
        // Other sweeps start the run of a host that has none; it is listed when the next state is.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  };
