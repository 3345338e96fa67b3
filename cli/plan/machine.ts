import { z } from 'zod';
import { maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { metal3MachineSpec } from '../../api/metal3machine/schema.ts';
import { cleared } from '../../domain/machine/deletion.ts';
import { hostSpec } from '../../domain/machine/host-spec.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import { lookAtHosts } from '../choice-of-host.ts';
import type { Reading } from '../explain/reading.ts';
import { withSpec } from './applied.ts';
import { hostLines, type PlannedHost, planFor } from './host.ts';

/** A machine, and what is done to its host. Plain JSON: this is what `--output json` prints. */
export interface PlannedMachine {
  readonly machine: string;
  /** The machine does not exist yet. */
  readonly isNew: boolean;
  /** Which host it has or would choose, or why none. */
  readonly says: string;
  readonly host?: PlannedHost;
  readonly problems: readonly string[];
}

export interface MachineToPlan {
  readonly reading: Pick<Reading, 'find' | 'list'>;
  /** Its namespace and name, for people. */
  readonly machine: string;
  readonly live: unknown;
  /** The live object, or what it will be. */
  readonly wanted: unknown;
  readonly deleting: boolean;
  readonly now: number;
}

/** More would hide the plan. */
const MOST_NAMES = 10;

/** What a machine has done to its host, or to one of those that it may choose. */
export async function planMachine(asked: MachineToPlan): Promise<PlannedMachine> {
  const { reading, machine, live, wanted, deleting } = asked;
  const isNew = live === undefined;
  if (wanted === undefined) return { machine, isNew, says: '', problems: ['it does not exist, or cannot be read'] };
  const { metadata, host: name } = readMetal3Machine(wanted);
  const { namespace } = metadata;
  if (name !== undefined) {
    const host = await reading.find(KINDS.host, { namespace, name });
    if (host === undefined)
      return { machine, isNew, says: '', problems: [`its host ${name} does not exist, or cannot be read`] };
    const says = deleting ? `gives back its host ${name}` : `has host ${name}`;
    return { machine, isNew, says, host: planned(host, deleting ? released(host) : host, asked), problems: [] };
  }
  if (deleting) return { machine, isNew, says: 'has no host: nothing is done to any', problems: [] };
  const hosts = await reading.list(KINDS.host, namespace);
  if (hosts === undefined)
    return { machine, isNew, says: '', problems: [`the hosts of namespace ${namespace} cannot be read`] };
  return { machine, isNew, ...chosen(hosts, asked) };
}

/** Among suitable hosts the choice is random, except for the failure domain: the first stands for all. */
function chosen(hosts: readonly unknown[], asked: MachineToPlan): Pick<PlannedMachine, 'says' | 'host' | 'problems'> {
  const looked = lookAtHosts(asked.wanted, hosts);
  if (typeof looked === 'string') return { says: '', problems: [looked] };
  const fit = looked.filter(({ obstacle }) => obstacle === undefined).map(({ host }) => host.name);
  const [first] = fit;
  const host = hosts.find((each) => readMetadata(each).name === first);
  if (first === undefined || host === undefined)
    return {
      says: `gets none of ${looked.length === 1 ? '1 host' : `${looked.length} hosts`} now; \`temper explain machine\` says why`,
      problems: [],
    };
  const names = [...fit.slice(0, MOST_NAMES), ...(fit.length > MOST_NAMES ? ['…'] : [])].join(', ');
  const says =
    fit.length === 1 ? `chooses host ${first}` : `chooses one of ${fit.length} hosts: ${names}; on ${first}:`;
  return { says, host: planned(host, filled(host, asked.wanted), asked), problems: [] };
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

const { image, customDeploy } = metal3MachineSpec.shape;
const wish = z.object({
  spec: orEmpty(
    z.object({
      automatedCleaningMode: maybeText,
      image: image.catch(undefined),
      customDeploy: customDeploy.catch(undefined),
    }),
  ),
});

/** The host with what the machine writes to it, without its data: the Secrets do not change the steps. */
function filled(host: unknown, metal3Machine: unknown): object {
  const { image: wanted, customDeploy: method, automatedCleaningMode } = wish.parse(metal3Machine).spec;
  const { name, namespace } = readMetadata(metal3Machine);
  const { apiVersion, kind } = KINDS.metal3Machine;
  return withSpec(host, {
    ...hostSpec({
      ...(wanted !== undefined && { image: wanted }),
      ...(method !== undefined && { customDeploy: method }),
      ...(automatedCleaningMode !== undefined && { automatedCleaningMode }),
      online: true,
    }),
    consumerRef: { apiVersion, kind, namespace, name },
  });
}

/** A plan for people, line by line. */
export function machineLines({ machine, isNew, says, host, problems }: PlannedMachine): readonly string[] {
  return [
    `Metal3Machine ${machine}${isNew ? ' (new)' : ''}${says === '' ? '' : `: ${says}`}`,
    ...problems.map((problem) => `  cannot be planned: ${problem}`),
    ...(host === undefined ? [] : hostLines(host).map((line) => `  ${line}`)),
  ];
}
