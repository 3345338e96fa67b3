import { type Cause, diagnose } from '../../domain/diagnosis/diagnose.ts';
import { durationWords, usualWords } from '../../domain/diagnosis/duration-words.ts';
import type { SeenCondition, SeenHost, SeenMachine, Sight } from '../../domain/diagnosis/sight.ts';
import { STALLED, toSeconds } from '../../domain/entity/conditions.ts';
import { pausedRunIn } from '../../domain/entity/paused-run.ts';
import { backoff } from '../../domain/host/outcome/backoff.ts';
import type { HostPlan } from '../../domain/host/plan/plan.ts';
import { powerInWords } from '../../domain/host/power/known.ts';
import { failuresOf } from '../../domain/host/report/failure-words.ts';
import { KINDS } from '../../kube/kinds.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import type { Offer } from './offers.ts';
import type { RunSeen, RunsSeen } from './run.ts';

/** An object of the chain and what it says. */
export interface ChainLink {
  readonly kind: string;
  /** '' when there is none. */
  readonly name: string;
  readonly says: string;
}

/** The state of an object, the reason, and what comes next. Plain JSON: this is what `--output json` prints. */
export interface Explanation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly chain: readonly ChainLink[];
  readonly stands: string;
  /** '' while it is busy, or when nothing shows it. */
  readonly waitsFor: string;
  /** RFC 3339. */
  readonly since?: string;
  /** Such as `12 min, usually less than 20 min, as assumed`. */
  readonly duration?: string;
  readonly lastError?: {
    readonly type: string;
    readonly message: string;
    /** Failures, counted as `counted` says. */
    readonly count: number;
    /** Deployments are counted for each image, all other failures while none of them succeeds. */
    readonly counted: 'with this image' | 'in a row';
    readonly retry: string;
  };
  readonly causes: readonly Cause[];
  /** What the host will do, if everything succeeds. */
  readonly plan?: HostPlan;
  readonly canDo: readonly Offer[];
  /** The objects that could not be read, each with the reason. */
  readonly unread: readonly string[];
}

/** Everything that was found out. */
export interface Findings {
  readonly subject: Pick<Explanation, 'kind' | 'namespace' | 'name'>;
  readonly sight: Sight;
  readonly runs: RunsSeen;
  readonly plan?: HostPlan;
  readonly canDo: readonly Offer[];
  readonly unread: readonly string[];
}

/** Pure. */
export function explain(findings: Findings): Explanation {
  const { subject, sight, runs, plan, canDo, unread } = findings;
  const { host } = sight;
  const machine = sight.machine ?? sight.machineApi;
  const causes = diagnose(sight);
  return {
    ...subject,
    chain: chainOf(sight, machine, runs),
    stands:
      subject.kind === 'BareMetalHost' && host !== undefined ? hostStands(host) : machineStands({ host, machine }),
    waitsFor: waitsFor(findings, machine),
    ...(host !== undefined && sinceOf(host, sight.now)),
    ...(host?.errorType !== undefined && { lastError: errorOf(host, causes, runs.host) }),
    causes,
    ...(plan !== undefined && { plan }),
    canDo: isRunPaused(causes, host) ? [] : canDo.filter(({ temper }) => !isAdvised(temper, causes)),
    unread,
  };
}

/** Commands beside a cause are not offered a second time. */
const isAdvised = (command: string, causes: readonly Cause[]): boolean =>
  causes.some(({ commands }) => commands.includes(command));

/** A run that is paused in Temporal takes no message. */
function isRunPaused(causes: readonly Cause[], host: SeenHost | undefined): boolean {
  if (host === undefined) return false;
  const id = hostWorkflowId(host);
  return causes.some(({ evidence }) => evidence.some(({ words }) => pausedRunIn(words) === id));
}

function hostStands(host: SeenHost): string {
  const { state, errorType, operationalStatus, deleting } = host;
  const power = powerInWords(host);
  const more = [
    ...(errorType === undefined ? [] : ['in error']),
    ...(['delayed', 'detached', 'servicing'].includes(operationalStatus) ? [operationalStatus] : []),
    ...(deleting ? ['to be deleted'] : []),
    ...(power === '' ? [] : [power]),
  ];
  return [state === '' ? 'new' : state, ...more].join(', ');
}

interface Stands {
  readonly host?: SeenHost | undefined;
  readonly machine?: SeenMachine | undefined;
}

export function machineStands({ host, machine }: Stands): string {
  if (machine === undefined) return '';
  const where = machine.host === '' ? 'without a host' : `on host ${machine.host}`;
  const ofHost = machine.host === '' || host === undefined ? '' : ` (${hostStands(host)})`;
  const leaving = machine.deleting ? ', to be deleted' : '';
  const node = machine.host === '' || machine.node === '' ? '' : `, as Node ${machine.node}`;
  return `${where}${ofHost}${leaving}${node}`;
}

/** What a machine waits for: from its object, else from its host, else from its run. */
function waitsFor({ subject, sight, runs, plan }: Findings, machine: SeenMachine | undefined): string {
  const { host } = sight;
  const ofHost = host === undefined ? '' : hostWaitsFor(host, runs.host, plan);
  if (machine === undefined || subject.kind === 'BareMetalHost') return ofHost;
  return errorMessage(machine) || firstMessage(machine.conditions) || ofHost || (runs.machine?.waitingFor ?? '');
}

/** What the run of a host waits for, without its error, which the explanation shows elsewhere. */
function runWaitsFor({ waitingFor }: RunSeen, host: SeenHost | undefined): string {
  const { errorType = '', texts = [] } = host ?? {};
  return texts.reduce((said, { words }) => said.replace(` after ${errorType}: ${words}`, ''), waitingFor);
}

/**
 * The `waitingFor` of the run; if it is empty, the message of the condition Ready; without that, the reason why the
 * plan waits.
 */
function hostWaitsFor(host: SeenHost, run: RunSeen | undefined, plan: HostPlan | undefined): string {
  if (run !== undefined && run.waitingFor !== '') return runWaitsFor(run, host);
  // The explanation shows the complete error elsewhere, with the time of the next try.
  if (host.errorType !== undefined) return '';
  const ready = readyMessage(host);
  const isBusy = plan?.end.kind !== 'waits' || plan.steps.length > 0;
  return ready !== '' || isBusy ? ready : plan.end.reason;
}

/** What the host is busy with or waits for, as its workflow has written it. */
const readyMessage = ({ conditions }: SeenHost): string =>
  conditions.find(({ type, status }) => type === 'Ready' && status !== 'True')?.message ?? '';

function sinceOf({ since, usual }: SeenHost, now: number): Pick<Explanation, 'since' | 'duration'> {
  if (since === undefined) return {};
  const duration = durationWords(now - since);
  return {
    since: toSeconds(since),
    duration: usual === undefined ? duration : `${duration}, ${usualWords(usual)}`,
  };
}

function errorOf(
  host: SeenHost,
  causes: readonly Cause[],
  run: RunSeen | undefined,
): NonNullable<Explanation['lastError']> {
  const { count, isOfImage } = failuresOf(host);
  return {
    type: host.errorType ?? '',
    message: host.texts.find(({ field }) => field === 'status.errorMessage')?.words ?? '',
    count,
    counted: isOfImage ? 'with this image' : 'in a row',
    retry: retryOf(host, causes, run),
  };
}

/** `dice` for the longest wait after a failure. */
const LONGEST = 0;

function retryOf(host: SeenHost, causes: readonly Cause[], run: RunSeen | undefined): string {
  const at = run?.until ?? /; next try at (\S+)$/.exec(readyMessage(host))?.[1];
  if (at !== undefined) return `is tried again at ${at}`;
  const isStalled = host.conditions.some(({ type, status }) => type === STALLED && status === 'True');
  // A host without its Secret is not stalled, because the Secret may come later.
  if (isStalled || causes.some(({ waitsForChange }) => waitsForChange)) return 'is tried again when something changes';
  return `is tried again at most ${durationWords(backoff(host.errorCount, LONGEST))} after the failure`;
}

function machineLinks(machine: SeenMachine): readonly ChainLink[] {
  const link = {
    kind: machine.kind,
    name: machine.name,
    says: errorMessage(machine) || firstProblem(machine.conditions),
  };
  if (machine.kind !== KINDS.metal3Machine.kind) return [link];
  const { owner } = machine;
  return [{ kind: 'Machine', name: owner, says: owner === '' ? 'no Machine owns the Metal3Machine' : '' }, link];
}

/** The error of a Machine of the Machine API; a Metal3Machine has it in a condition. */
const errorMessage = ({ texts }: SeenMachine): string =>
  texts.find(({ field }) => field === 'status.errorMessage')?.words ?? '';

const hostLinks = (host: SeenHost, run: RunSeen | undefined): readonly ChainLink[] => [
  { kind: 'BareMetalHost', name: host.name, says: hostStands(host) },
  { kind: 'Ironic node', name: host.nodeId, says: host.nodeId === '' ? 'none yet' : ironicSays(run?.ironic) },
];

const ironicSays = (ironic: RunSeen['ironic']): string =>
  ironic === undefined ? '' : [ironic.state, ...(ironic.step === undefined ? [] : [`step ${ironic.step}`])].join(', ');

function chainOf({ cluster, host }: Sight, machine: SeenMachine | undefined, runs: RunsSeen): readonly ChainLink[] {
  const consumed = machine !== undefined;
  return [
    ...(cluster === undefined
      ? []
      : [{ kind: 'Cluster', name: cluster.name, says: cluster.paused ? 'paused' : firstProblem(cluster.conditions) }]),
    ...(machine === undefined ? [] : machineLinks(machine)),
    ...(host !== undefined
      ? hostLinks(host, runs.host)
      : consumed
        ? [{ kind: 'BareMetalHost', name: machine.host, says: machine.host === '' ? 'none yet' : 'could not be read' }]
        : []),
    ...(consumed ? [{ kind: 'Node', name: machine.node, says: machine.node === '' ? 'none yet' : '' }] : []),
    ...[runs.machine, runs.host].flatMap((run) =>
      run === undefined ? [] : [{ kind: 'run', name: run.id, says: runWaitsFor(run, host) || 'busy' }],
    ),
  ];
}

const isOpen = ({ status, type }: SeenCondition): boolean =>
  status === 'False' && type !== 'Paused' && type !== 'Ready';

/** The first message of a condition that is False. Ready is left out, because it only summarises the others. */
const firstMessage = (conditions: readonly SeenCondition[]): string =>
  conditions.filter(isOpen).find(({ message }) => message !== '')?.message ?? '';

function firstProblem(conditions: readonly SeenCondition[]): string {
  const found = conditions.find(isOpen);
  if (found === undefined) return 'as desired';
  return firstMessage(conditions) || `${found.type}: ${found.reason}`;
}
