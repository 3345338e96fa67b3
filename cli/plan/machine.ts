import { consumerOf } from '../../domain/machine/choose-host/host-facts.ts';
import { eligibleHosts } from '../../domain/machine/choose-host/select-host.ts';
import { cleared } from '../../domain/machine/deletion.ts';
import { hostSpec } from '../../domain/machine/host-spec.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Reading } from '../reading.ts';
import { withSpec } from './applied.ts';
import { hostLines, type PlannedHost, planFor } from './host.ts';
import { type WishedMachine, wishOf } from './wished-machine.ts';

/** A machine, and what is done to its host. Plain JSON: this is what `--output json` prints. */
export interface PlannedMachine {
  readonly kind: string;
  readonly machine: string;
  /** The machine does not exist yet. */
  readonly isNew: boolean;
  /** Names the host that it has or would choose, or says why it gets none. */
  readonly says: string;
  readonly host?: PlannedHost;
  readonly problems: readonly string[];
}

export interface MachineToPlan {
  readonly reading: Pick<Reading, 'find' | 'list'>;
  readonly kind: FollowedKind;
  /** Its namespace and name, for people. */
  readonly machine: string;
  readonly live: unknown;
  /** The live object, or what it will be. */
  readonly wanted: unknown;
  readonly deleting: boolean;
  readonly now: number;
}

/** Number of hosts that are named: more would hide the plan. */
const MOST_NAMES = 10;

/** Plans what a machine does with its host, or with one of the hosts that it may choose. */
export async function planMachine(asked: MachineToPlan): Promise<PlannedMachine> {
  const { reading, machine, live, wanted, deleting } = asked;
  const about = { kind: asked.kind.kind, machine, isNew: live === undefined };
  const unplanned = (problem: string): PlannedMachine => ({ ...about, says: '', problems: [problem] });
  if (wanted === undefined) return unplanned('it does not exist, or cannot be read');
  const wish = wishOf(asked.kind, wanted);
  if (typeof wish === 'string') return unplanned(wish);
  const { namespace } = wish.claimant;
  if (wish.host !== undefined) {
    const host = await reading.find(KINDS.host, { namespace, name: wish.host });
    if (host === undefined) return unplanned(`its host ${wish.host} does not exist, or cannot be read`);
    const says = deleting ? `gives back its host ${wish.host}` : `has host ${wish.host}`;
    return { ...about, says, host: planned(host, deleting ? released(host) : host, asked), problems: [] };
  }
  if (deleting) return { ...about, says: 'has no host: nothing is done to any', problems: [] };
  const hosts = await reading.list(KINDS.host, namespace);
  if (hosts === undefined) return unplanned(`the hosts of namespace ${namespace} cannot be read`);
  return { ...about, ...(await chosen(hosts, wish, asked)) };
}

/** Among suitable hosts the choice is random, except for the failure domain: the first stands for all. */
async function chosen(
  hosts: readonly unknown[],
  wish: WishedMachine,
  asked: MachineToPlan,
): Promise<Pick<PlannedMachine, 'says' | 'host' | 'problems'>> {
  const search = await wish.search(asked.reading, hosts);
  const eligible = eligibleHosts(search.hosts, search.criteria);
  if (eligible.kind === 'invalid') return { says: '', problems: [`hostSelector: ${eligible.message}`] };
  if (eligible.kind === 'none')
    return { says: `gets no host now: ${eligible.reason}; \`temper explain machine\` says more`, problems: [] };
  const fit = eligible.hosts.map(({ name }) => name);
  const [first = ''] = fit;
  const host = hosts.find((each) => readMetadata(each).name === first);
  const names = [...fit.slice(0, MOST_NAMES), ...(fit.length > MOST_NAMES ? ['…'] : [])].join(', ');
  const says =
    fit.length === 1 ? `chooses host ${first}` : `chooses one of ${fit.length} hosts: ${names}; on ${first}:`;
  return { says, host: planned(host, filled(host, wish), asked), problems: [] };
}

function planned(live: unknown, wanted: unknown, { now }: MachineToPlan): PlannedHost {
  const { namespace, name } = readMetadata(live);
  return planFor(`${namespace}/${name}`, live, wanted, false, now);
}

/** The host after the machine has given it back. */
const released = (host: unknown): object =>
  withSpec(host, {
    ...hostSpec(cleared(readHostFacts(host), { fastTrack: false, hasUserData: true })),
    consumerRef: null,
  });

/** The host with what the machine writes to it. */
const filled = (host: unknown, { change, claimant }: WishedMachine): object =>
  withSpec(host, { ...hostSpec({ ...change, online: true }), consumerRef: consumerOf(claimant) });

/** A plan for people, line by line. */
export function machineLines({ kind, machine, isNew, says, host, problems }: PlannedMachine): readonly string[] {
  return [
    `${kind} ${machine}${isNew ? ' (new)' : ''}${says === '' ? '' : `: ${says}`}`,
    ...problems.map((problem) => `  cannot be planned: ${problem}`),
    ...(host === undefined ? [] : hostLines(host).map((line) => `  ${line}`)),
  ];
}
