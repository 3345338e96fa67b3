import { toSeconds } from '../../entity/conditions.ts';
import { PATIENCE_MS } from '../free-node.ts';
import { deadlineOf, type RemediationMemory } from '../memory.ts';
import { OUT_OF_SERVICE, powerOffKey } from '../names.ts';
import { type Case, caseOf, ownKeys } from '../obstacles.ts';
import { nodeOrder } from '../orders.ts';
import type { SickMachine } from '../snapshot.ts';

type Sick = Extract<Case, { kind: 'sick' }>;

/**
 * What comes after the current action or wait, in words; '' when nothing is planned. `until`: the end of a wait for a
 * time, in ms since the epoch.
 */
export function nextInWords(memory: RemediationMemory, until?: number): string {
  const { seen, trouble } = memory;
  if (seen.paused) return 'nothing before the pause ends';
  const plan = seen.deletionTimestamp === undefined ? planOf(memory) : leavingInWords(memory, until);
  const again = trouble !== null && until !== undefined ? `it tries again at ${toSeconds(until)}` : '';
  return [again, plan].filter((words) => words !== '').join('; ');
}

function planOf(memory: RemediationMemory): string {
  const found = caseOf(memory.seen);
  const { phase } = memory.record;
  if (phase === undefined) return startInWords(memory, found);
  switch (phase) {
    case 'Running':
    case 'Waiting':
      if (memory.handedOver) return 'the remediation is over';
      return found.kind === 'sick' && found.host.online ? attemptInWords(memory, found) : endInWords(memory, found);
    case 'Deleting machine':
      return memory.seen.machine?.api === undefined
        ? 'the owner of the Machine replaces it, and this Metal3Remediation is deleted with the Machine'
        : 'the owner of the Machine, if it has one, replaces it';
    case 'Failed':
      return 'nothing before this Metal3Remediation is deleted';
  }
}

function startInWords({ seen }: RemediationMemory, found: Case): string {
  if (seen.strategy?.type !== 'Reboot') return 'nothing before its strategy is Reboot';
  if (found.kind !== 'sick') return 'it begins when this has changed';
  return `when it begins, host ${found.host.name} is powered off`;
}

/** The remediation can't go on. */
function endInWords(memory: RemediationMemory, found: Case): string {
  if (found.kind === 'lost') return `${replacing(found.machine)}, because its host does not exist`;
  const { host } = memory.seen;
  const letOn =
    host && ownKeys(memory.seen).length > 0 ? [`the annotation that keeps host ${host.name} off is removed`] : [];
  const end = found.kind === 'sick' ? 'the remediation ends' : 'the attempt goes on only if this changes';
  return [...letOn, end].join('; ');
}

const attemptInWords = (memory: RemediationMemory, sick: Sick): string =>
  memory.record.phase === 'Running' ? offInWords(memory, sick) : onInWords(memory, sick);

/** The host is off, or is to be off. */
function offInWords(memory: RemediationMemory, sick: Sick): string {
  const { host } = sick;
  if (host.poweredOn && host.disablePowerOff) return `nothing while spec.disablePowerOff of host ${host.name} is true`;
  const isOff = host.heldBy.includes(powerOffKey(memory.seen.uid)) && !host.poweredOn;
  const steps = freeingInWords(memory, sick, isOff);
  const order = isOff ? steps : [`when host ${host.name} is off, ${steps[0]}`, ...steps.slice(1)];
  const end = `the attempt ends at ${endOf(memory)}, or later if the host is still off then`;
  return [...order, end, unlessHealthy(memory, sick, 'by then')].join('; ');
}

/** The steps until the host is powered on. */
function freeingInWords(memory: RemediationMemory, sick: Sick, isOff: boolean): readonly [string, ...string[]] {
  const { machine, host } = sick;
  const order = nodeOrder(memory, sick);
  const { node, trouble } = memory;
  const on = `host ${host.name} is powered on again`;
  if (order === undefined || node === 'freed' || node === 'left') return [on];
  const name = `Node ${order.node}`;
  if (node === 'draining') return [`when Pods and volumes have left ${name}, or the time for that is over, ${on}`];
  const taint = `gets the taint ${OUT_OF_SERVICE.key}, or is deleted where its cluster does not act on that taint`;
  const freed = machine.api === undefined ? `${name} ${taint}` : `${name} is deleted`;
  const last = trouble !== null && isOff ? `, at ${timeInWords(trouble.since + PATIENCE_MS)} at the latest` : '';
  return [freed, `then ${on}${last}`];
}

/** The host is on, or is to be on. */
function onInWords(memory: RemediationMemory, sick: Sick): string {
  const { machine, host } = sick;
  const node = memory.returned ? undefined : nodeOrder(memory, sick)?.node;
  const isOn = host.poweredOn && ownKeys(memory.seen).length === 0;
  const taint = machine.api === undefined ? ', and loses the taint' : '';
  const returning =
    node === undefined ? '' : `when Node ${node} is there, it gets back its labels and annotations${taint}`;
  const first = [isOn ? '' : `host ${host.name} is powered on`, returning].filter((words) => words !== '');
  const end = endOf(memory);
  const last = machine.healthy
    ? ['its health check deletes this Metal3Remediation', unlessHealthy(memory, sick, `at ${end} or later`)]
    : [`the attempt ends at ${end}`, unlessHealthy(memory, sick, 'by then')];
  return [...first, ...last].join('; ');
}

const unlessHealthy = (memory: RemediationMemory, sick: Sick, when: string): string =>
  `if Machine ${sick.machine.name} is not healthy ${when}, ${afterAttempt(memory, sick)}`;

function afterAttempt({ seen, record: { retryCount } }: RemediationMemory, { machine, host }: Sick): string {
  const retries = seen.strategy?.retryLimit ?? 0;
  if (retryCount < retries) return `host ${host.name} is powered off again (retry ${retryCount + 1} of ${retries})`;
  return `host ${host.name} is marked unhealthy, and ${replacing(machine)}`;
}

const replacing = ({ api, name }: SickMachine): string =>
  api === undefined
    ? `Machine ${name} is given to its owner to be replaced`
    : `Machine ${name} is deleted if it has an owner that replaces it`;

/** A Metal3Remediation that is being deleted. */
function leavingInWords(memory: RemediationMemory, until: number | undefined): string {
  const { seen, trouble } = memory;
  const { host, machine } = seen;
  const on = host && ownKeys(seen).length > 0 ? [`the annotation that keeps host ${host.name} off is removed`] : [];
  const { node } = machine ?? {};
  const back = node === undefined || memory.returned ? [] : [`Node ${node} gets back what it lost, if it is there`];
  const first = [...on, ...(seen.hasBackup ? back : [])];
  const last = until === undefined || trouble !== null ? '' : `, at ${timeInWords(until)} at the latest`;
  return [...first, `${first.length > 0 ? 'then ' : ''}this Metal3Remediation is gone${last}`].join('; ');
}

const endOf = (memory: RemediationMemory): string => timeInWords(deadlineOf(memory));

/** Times beyond what a date can show are left out. */
const timeInWords = (time: number): string =>
  Number.isNaN(new Date(time).getTime()) ? 'a time too far away' : toSeconds(time);
