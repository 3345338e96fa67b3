import { z } from 'zod';
import { lenientText, orEmpty } from '../../api/meta/lenient.ts';
import type {
  SeenCandidate,
  SeenCluster,
  SeenMachine,
  SeenOutage,
  SeenText,
  Sight,
} from '../../domain/diagnosis/sight.ts';
import { STALE_WORDS } from '../../domain/entity/stale.ts';
import { obstacles } from '../../domain/machine/choose-host/select-host.ts';
import { isLeftAlone } from '../../domain/other-operators/beside.ts';
import type { UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { isClusterPaused, readCluster } from '../../kube/objects/cluster.ts';
import { conditionsOf, legacyConditionsOf } from '../../kube/objects/conditions.ts';
import { readMachine } from '../../kube/objects/machine.ts';
import { readMachineApi } from '../../kube/objects/machine-api.ts';
import { ownerOf } from '../../kube/objects/metadata.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import { hostInSight, objectInSight } from '../../kube/objects/sight.ts';
import type { CalledMachine } from '../called-machine.ts';
import type { HostSearch } from '../choice-of-host.ts';
import { type Chain, hostNamedBy } from './gather.ts';
import type { RunSeen, RunsSeen } from './run.ts';

const problem = z.object({ status: orEmpty({ errorMessage: lenientText }) });
const problemOf = (field: string, object: unknown): readonly SeenText[] =>
  object === undefined ? [] : [{ field, words: problem.parse(object).status.errorMessage }];

function seenMachine({ metal3Machine, machine, claim, data }: Chain, answers: readonly SeenText[]): SeenMachine {
  const node = machine === undefined ? undefined : readMachine(machine).owner.nodeRef;
  const { host, metadata } = readMetal3Machine(metal3Machine);
  return {
    ...objectInSight('Metal3Machine', metal3Machine, [
      ...problemOf('status.errorMessage of its Metal3Data', data),
      ...problemOf('status.errorMessage of its Metal3DataClaim', claim),
      ...answers,
    ]),
    host: host ?? '',
    owner: ownerOf(metadata, KINDS.machine)?.name ?? '',
    node: node ?? '',
  };
}

function seenCluster({ cluster, metal3Cluster }: Chain): SeenCluster {
  const { status } = metal3Cluster === undefined ? { status: {} } : readObject(metal3Cluster);
  const said = [...conditionsOf(status), ...legacyConditionsOf(status)].filter((each) => each.status === 'False');
  return {
    ...objectInSight(
      'Cluster',
      cluster,
      said.map(({ type, message = '' }) => ({ field: `condition ${type} of its Metal3Cluster`, words: message })),
    ),
    paused: isClusterPaused(cluster),
    metal3Cluster: readCluster(cluster).infrastructure,
  };
}

/** A Machine of the Machine API. */
function seenMachineApi({ kind, object }: CalledMachine, answers: readonly SeenText[]): SeenMachine {
  const texts = [...problemOf('status.errorMessage', object), ...answers];
  const host = hostNamedBy(object) ?? '';
  return { ...objectInSight(kind.kind, object, texts), host, owner: '', node: readMachineApi(object).nodeRef ?? '' };
}

/** The hosts of the namespace, and why the machine does not get each of them. */
function seenCandidates({ hosts, criteria }: HostSearch): readonly SeenCandidate[] {
  const looked = obstacles(hosts, criteria);
  if (typeof looked === 'string') return [];
  return looked.map(({ host, obstacle }) => ({ name: host.name, ...(obstacle !== undefined && { obstacle }) }));
}

function answersTo(run: RunSeen | undefined): readonly SeenText[] {
  if (run === undefined) return [];
  const { waitingFor, retrying, paused } = run;
  return [
    ...(paused === undefined ? [] : [{ field: 'answer of its run', words: paused }]),
    ...(retrying === undefined ? [] : [{ field: `last answer to "${retrying.what}"`, words: retrying.answer }]),
    ...(STALE_WORDS.test(waitingFor) || isLeftAlone(waitingFor)
      ? [{ field: 'what its run waits for', words: waitingFor }]
      : []),
  ];
}

/** All that is seen of a chain. */
export function sightOf(
  chain: Chain,
  { temporal, ...runs }: RunsSeen & { readonly temporal?: SeenOutage },
  times: UsualTimes,
  now: number,
): Sight {
  const { host, search, metal3Machine, machineApi, cluster, missingSecrets } = chain;
  return {
    now,
    ...(temporal !== undefined && { temporal }),
    ...(host !== undefined && { host: hostInSight(host, times, answersTo(runs.host)) }),
    ...(metal3Machine !== undefined && { machine: seenMachine(chain, answersTo(runs.machine)) }),
    ...(machineApi !== undefined && { machineApi: seenMachineApi(machineApi, answersTo(runs.machine)) }),
    ...(cluster !== undefined && { cluster: seenCluster(chain) }),
    ...(search !== undefined && { candidates: seenCandidates(search) }),
    missingSecrets,
  };
}
