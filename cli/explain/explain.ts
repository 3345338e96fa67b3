import { defined } from '../../domain/defined.ts';
import type { Cause } from '../../domain/diagnosis/diagnose.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { nextStep } from '../../domain/host/next-step.ts';
import { memoryOf } from '../../domain/host/plan/from-object.ts';
import { planOf } from '../../domain/host/plan/plan.ts';
import { steeredHost } from '../../domain/host/steering/refusal.ts';
import { isBusyState } from '../../domain/states/table.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { endpointsOf, temporalCommandOf, withKube } from '../access.ts';
import type { CalledMachine } from '../called-machine.ts';
import { DONE, type Out, print } from '../out.ts';
import { plannedHost } from '../planned-host.ts';
import { createReading, notFound, type Reading } from '../reading.ts';
import { clusterExplanation, clusterLines } from './cluster.ts';
import { type Explanation, explain, type Findings } from './explanation.ts';
import { type Chain, chainOfHost, chainOfMachine } from './gather.ts';
import { offersFor } from './offers.ts';
import type { ExplainRequest } from './options.ts';
import { explanationLines } from './render.ts';
import { type AskRuns, askRuns, type RunSeen, type RunsSeen, type TemporalDown } from './run.ts';
import { sightOf } from './sights.ts';
import { NOTHING_MEASURED, usualTimesIn } from './usual-times.ts';

/** Explains an object from everything that the user may read. Returns the exit code. */
export async function explainObject(request: ExplainRequest, out: Out, now: number): Promise<number> {
  const endpoints = endpointsOf(request.dir);
  const temporalCommand = temporalCommandOf(endpoints);
  const forTemporal = <T extends Pick<Explanation, 'causes'>>(found: T): T => ({
    ...found,
    causes: forOurTemporal(found.causes, temporalCommand),
  });
  return withKube(endpoints, async (kube) => {
    const reading = createReading(kube);
    const ask = request.objectsOnly ? undefined : askRuns(endpoints);
    if (request.kind === 'cluster') {
      const temporal = await temporalDown(ask);
      const explained = await clusterExplanation(reading, request, request.bridgeNamespace, now, temporal);
      if (explained === undefined) return notFound(request.kind, request, reading, out);
      const { machines, ...cluster } = forTemporal(explained);
      print(out, request.output, { ...cluster, machines: machines.map(forTemporal) }, clusterLines);
      return DONE;
    }
    const explained = await explanationOf(request, reading, ask, now);
    if (explained === undefined) return notFound(request.kind, request, reading, out);
    print(out, request.output, forTemporal(explained), explanationLines);
    return DONE;
  });
}

/** Without `ask`, runs are not queried. Returns undefined when the object does not exist, or cannot be read. */
export async function explanationOf(
  { kind, name, namespace, bridgeNamespace }: Pick<ExplainRequest, 'kind' | 'name' | 'namespace' | 'bridgeNamespace'>,
  reading: Reading,
  ask: AskRuns | undefined,
  now: number,
): Promise<Explanation | undefined> {
  const named = { namespace, name };
  const chain = await (kind === 'host' ? chainOfHost(reading, named) : chainOfMachine(reading, named));
  if (chain === undefined) return undefined;
  const [{ runs, unqueried, temporal }, times] = await Promise.all([
    runsOf(chain, ask),
    isBusy(chain.host) ? usualTimesIn(reading, bridgeNamespace) : NOTHING_MEASURED,
  ]);
  return explain({
    subject: {
      kind: kind === 'host' ? KINDS.host.kind : (chain.machineApi?.kind ?? KINDS.metal3Machine).kind,
      ...named,
    },
    sight: sightOf(chain, { ...runs, ...defined({ temporal }) }, times, now),
    runs,
    // Without Temporal nothing is done, and it takes no message.
    ...(temporal === undefined ? aheadOf(chain, now) : { canDo: [] }),
    unread: [...reading.unread, ...unqueried],
  });
}

interface QueriedRuns {
  readonly runs: RunsSeen;
  /** For each run that was not queried, the reason. */
  readonly unqueried: readonly string[];
  readonly temporal?: TemporalDown;
}

/** The answers of the runs of the machine and of the host. */
async function runsOf({ metal3Machine, machineApi, host }: Chain, ask: AskRuns | undefined): Promise<QueriedRuns> {
  const objects: readonly (CalledMachine & { readonly of: keyof RunsSeen })[] = [
    ...(metal3Machine === undefined
      ? []
      : [{ of: 'machine' as const, kind: KINDS.metal3Machine, object: metal3Machine }]),
    ...(machineApi === undefined ? [] : [{ of: 'machine' as const, ...machineApi }]),
    ...(host === undefined ? [] : [{ of: 'host' as const, kind: KINDS.host, object: host }]),
  ];
  const answers =
    (await ask?.(objects.map(({ kind, object }) => ({ ...readMetadata(object), kind: kind.kind })))) ?? [];
  if (isDown(answers)) return { runs: {}, unqueried: [], temporal: answers };
  const said = (of: keyof RunsSeen): RunSeen | undefined => {
    const answer = answers[objects.findIndex((each) => each.of === of)];
    return typeof answer === 'string' ? undefined : answer;
  };
  return {
    runs: defined({ machine: said('machine'), host: said('host') }),
    unqueried: answers.filter((answer) => typeof answer === 'string'),
  };
}

/** Whether Temporal answers: a cluster is explained from its objects, without its runs. */
async function temporalDown(ask: AskRuns | undefined): Promise<TemporalDown | undefined> {
  const answer = await ask?.([]);
  return answer !== undefined && isDown(answer) ? answer : undefined;
}

const isDown = (answers: Awaited<ReturnType<AskRuns>>): answers is TemporalDown => 'why' in answers;

/** True in a state that has a usual time. */
const isBusy = (host: unknown): boolean => host !== undefined && isBusyState(readHost(host).status.state);

/** What the host will do, and the messages that it accepts now. */
function aheadOf({ host, missingSecrets }: Chain, now: number): Pick<Findings, 'plan' | 'canDo'> {
  const planned =
    host === undefined
      ? undefined
      : plannedHost(
          host,
          missingSecrets.map(({ name }) => name),
        );
  if (planned === undefined || 'problems' in planned) return { canDo: [] };
  const memory = memoryOf(planned);
  return { plan: planOf(memory, now), canDo: offersFor(memory.seen.namespace, steeredHost(withNotes(memory, now))) };
}

/** The object does not show the step that the host holds: the first thing that its run would note is that. */
function withNotes(memory: HostMemory, now: number): HostMemory {
  const step = nextStep(memory, now);
  return step.kind === 'note' ? step.memory : memory;
}

/** The causes, with Temporal's command line called in such a way that it reaches the Temporal that was asked. */
export const forOurTemporal = (causes: readonly Cause[], temporal: string): readonly Cause[] =>
  causes.map((cause) => ({
    ...cause,
    commands: cause.commands.map((command) => command.replace(/^temporal(?= )/, () => temporal)),
  }));
