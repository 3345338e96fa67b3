import { toSeconds } from '../../entity/conditions.ts';
import type { RemediationMemory } from '../memory.ts';
import type { SickHost } from '../sick-host.ts';
import type { SickMachine } from '../snapshot.ts';

/** What the run knows about the host, the Node and the Machine. `waitingFor`: words that are not repeated. */
export function seenInWords(memory: RemediationMemory, waitingFor: string): readonly string[] {
  const { machine, host } = memory.seen;
  if (!machine) {
    const missing = machine === null ? 'its Machine does not exist' : 'no Machine is among its owners';
    return [missing, ...(host ? [hostInWords(host, undefined, waitingFor)] : [])];
  }
  return [
    machine.metal3Machine === '' ? `Machine ${machine.name} has no Metal3Machine` : hostOf(machine, host, waitingFor),
    ...nodeInWords(machine, memory),
    machineInWords(machine),
  ];
}

/** The object that is the consumer of the machine's host. */
const consumerOf = ({ api, metal3Machine }: SickMachine): string =>
  `${api === undefined ? 'Metal3Machine' : 'Machine'} ${metal3Machine}`;

function hostOf(machine: SickMachine, host: SickHost | null | undefined, waitingFor: string): string {
  const consumer = consumerOf(machine);
  if (host === undefined) return `${consumer} has no host`;
  return host === null ? `the host of ${consumer} does not exist` : hostInWords(host, consumer, waitingFor);
}

function hostInWords(host: SickHost, consumer: string | undefined, waitingFor: string): string {
  const isNewError = host.errorMessage !== '' && !waitingFor.includes(host.errorMessage);
  return [
    `host ${host.name} is ${host.poweredOn ? 'on' : 'off'}`,
    `its state is ${host.state}`,
    ...(consumer === undefined ? [] : [`its consumer is ${host.belongs ? '' : 'not '}${consumer}`]),
    ...(host.online ? [] : ['its spec.online is false']),
    ...(host.deleting ? ['it is being deleted'] : []),
    ...(host.untouched ? ['it is paused or detached'] : []),
    ...(host.unhealthy ? ['it is marked unhealthy'] : []),
    ...(isNewError ? [`its error is: ${host.errorMessage}`] : []),
  ].join(', ');
}

function nodeInWords(machine: SickMachine, { looked, returned }: RemediationMemory): readonly string[] {
  const { api, name, node, nodeNews } = machine;
  if (node === undefined) return [`Machine ${name} has no Node`];
  const wasLooked = looked === null ? [] : [`Node ${node} was looked for at ${toSeconds(looked.at)} and not found`];
  const found = returned ? [`Node ${node} is back`] : wasLooked;
  return [...found, ...(api === undefined ? ofClusterApi(machine) : [ownNodeInWords(node, nodeNews)])];
}

/** The Node of a Machine of the Machine API is watched. */
function ownNodeInWords(node: string, news: string): string {
  if (news === '') return `Node ${node} does not exist`;
  return `Node ${node} is ${news.endsWith(' not ready') ? 'not ' : ''}ready`;
}

const ofClusterApi = ({ node, nodeNews }: SickMachine): readonly string[] =>
  conditionsIn(nodeNews)
    .filter(({ type }) => type !== HEALTH_CHECK)
    .map((condition) => `condition of Node ${node}: ${conditionInWords(condition)}`);

function machineInWords({ api, name, deleting, healthy, nodeNews }: SickMachine): string {
  if (deleting) return `Machine ${name} is being deleted`;
  if (api !== undefined) return `Machine ${name} does not show whether it is healthy`;
  const check = conditionsIn(nodeNews).find(({ type }) => type === HEALTH_CHECK);
  return `Machine ${name} is ${healthy ? '' : 'not '}healthy${check ? ` (${conditionInWords(check)})` : ''}`;
}

const HEALTH_CHECK = 'HealthCheckSucceeded';

interface NewsOfNode {
  readonly type: string;
  readonly status: string;
  readonly since: string;
}

/** The conditions of a Machine that `nodeNews` lists. */
const conditionsIn = (nodeNews: string): readonly NewsOfNode[] =>
  nodeNews.split(',').flatMap((listed) => {
    const [type, status, since] = listed.split(' ');
    return type && status && since ? [{ type, status, since }] : [];
  });

const conditionInWords = ({ type, status, since }: NewsOfNode): string => `${type} is ${status} since ${since}`;
