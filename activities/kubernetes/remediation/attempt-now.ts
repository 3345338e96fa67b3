import { isPausedByAnnotation } from '../../../domain/cluster-api/names.ts';
import type { Claimant } from '../../../domain/machine/choose-host/host-facts.ts';
import type { HostLink } from '../../../domain/machine-api/provider-id.ts';
import { type SickHost, sickHost } from '../../../domain/remediation/sick-host.ts';
import type { RemediationPhase, SickMachine } from '../../../domain/remediation/snapshot.ts';
import type { Attempt, HandOverOrder, RemediationHostOrder } from '../../../domain/remediation/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readHost } from '../../../kube/objects/baremetalhost.ts';
import { readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetal3Machine } from '../../../kube/objects/metal3machine.ts';
import { type RemediationRead, readRemediation } from '../../../kube/objects/metal3remediation.ts';
import { readOwnSickMachine, readSickMachine } from '../../../kube/objects/sick-machine.ts';
import { hostPath, objectPath } from '../../../kube/paths.ts';
import { mustBeNeighbours, stale, whyNotOurs } from '../machine/machine-now.ts';

/**
 * Fails with type `Stale` unless the Metal3Remediation in the API server is in this attempt and phase, for this
 * Machine, which exists too. The request may come from a restored Temporal, a reset run or a forged message.
 */
export async function mustBeInAttempt(
  kube: Kube,
  order: Attempt & Pick<HandOverOrder, 'machine' | 'metal3Machine'>,
  phases: readonly RemediationPhase[],
): Promise<{ readonly remediation: RemediationRead; readonly machine: SickMachine }> {
  const { remediation: wanted, machine: owner } = order;
  mustBeNeighbours(owner, wanted);
  const found = await kube.find(objectPath(KINDS.remediation, wanted));
  const remediation = found === undefined ? undefined : readRemediation(found);
  const outdated = outdatedBy(remediation, order, phases);
  if (remediation === undefined || outdated !== undefined) {
    throw stale(`Metal3Remediation ${wanted.name}: ${outdated}`);
  }
  const isOwn = owner.api !== undefined;
  const there = await kube.find(objectPath(isOwn ? KINDS.openShiftMachine : KINDS.machine, owner));
  const machine = there === undefined ? undefined : (isOwn ? readOwnSickMachine : readSickMachine)(there);
  const notOurs = whyNotOurs(there, owner);
  if (notOurs !== undefined) throw stale(`Metal3Remediation ${wanted.name}: Machine ${owner.name}: ${notOurs}`);
  const isSame = machine?.uid === owner.uid && machine.metal3Machine === order.metal3Machine;
  if (machine === undefined || machine.deleting || !isSame) {
    throw stale(`Metal3Remediation ${wanted.name}: Machine ${owner.name} is not there any more, or is being deleted`);
  }
  return { remediation, machine };
}

/** Fails with type `Stale` if this Metal3Remediation exists: the message that it has vanished is wrong, or forged. */
export async function mustBeGone(kube: Kube, wanted: Attempt['remediation']): Promise<void> {
  const found = await kube.find(objectPath(KINDS.remediation, wanted));
  if (found === undefined || readRemediation(found).metadata.uid !== wanted.uid) return;
  throw stale(`Metal3Remediation ${wanted.name}: it exists`);
}

function outdatedBy(
  read: RemediationRead | undefined,
  { remediation, retryCount, lastRemediated, machine }: Attempt & Pick<HandOverOrder, 'machine'>,
  phases: readonly RemediationPhase[],
): string | undefined {
  if (read === undefined || read.metadata.uid !== remediation.uid) return 'it does not exist any more';
  if (read.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (isPausedByAnnotation(read.metadata)) return 'it is paused';
  if (read.machine !== machine.name || read.isOfMachineApi !== (machine.api !== undefined))
    return `it does not belong to Machine ${machine.name}`;
  const { phase, ...shown } = read.status ?? {};
  if (phase === undefined || !phases.includes(phase)) return `it is in phase '${phase ?? ''}'`;
  const isSame = shown.lastRemediated === lastRemediated && (shown.retryCount ?? 0) === retryCount;
  return isSame ? undefined : 'it is in another attempt';
}

/** The machine that the host must belong to. */
export const claimantIn = (
  { remediation: { namespace }, metal3Machine }: Pick<RemediationHostOrder, 'remediation' | 'metal3Machine'>,
  { api }: Pick<Claimant, 'api'>,
): Claimant => ({ namespace, name: metal3Machine, ...(api !== undefined && { api }) });

/** Like `mustBeInAttempt`, and the host that the machine names must not exist. */
export async function mustBeHostless(
  kube: Kube,
  order: HandOverOrder,
  phases: readonly RemediationPhase[],
): Promise<void> {
  await mustBeInAttempt(kube, order, phases);
  const link = await hostNamedBy(kube, order);
  const found = link?.namespace === order.remediation.namespace ? await kube.find(hostPath(link)) : undefined;
  const isNamed = found !== undefined && [undefined, readHost(found).metadata.uid].includes(link?.uid);
  if (isNamed) throw stale(`Metal3Remediation ${order.remediation.name}: host ${link?.name ?? ''} exists`);
}

/** The host in the annotation of the Metal3Machine, or in that of a Machine of the Machine API or its providerID. */
async function hostNamedBy(
  kube: Kube,
  { remediation: { namespace }, machine, metal3Machine }: HandOverOrder,
): Promise<HostLink | undefined> {
  if (machine.api === undefined) {
    const found = await kube.find(objectPath(KINDS.metal3Machine, { namespace, name: metal3Machine }));
    const name = found === undefined ? undefined : readMetal3Machine(found).host;
    return name === undefined ? undefined : { namespace, name };
  }
  const found = await kube.find(objectPath(KINDS.openShiftMachine, machine));
  if (found === undefined) return undefined;
  const { link } = readMachineApi(found);
  return typeof link === 'string' ? undefined : link;
}

/** Like `mustBeInAttempt`, and the host must belong to the machine. */
export async function mustBeSick(
  kube: Kube,
  order: RemediationHostOrder,
  phases: readonly RemediationPhase[],
): Promise<{ readonly remediation: RemediationRead; readonly machine: SickMachine; readonly host: SickHost }> {
  mustBeNeighbours(order.host, order.remediation);
  const now = await mustBeInAttempt(kube, order, phases);
  const found = await kube.find(hostPath(order.host));
  const host = found === undefined ? undefined : sickHost(readHost(found), claimantIn(order, order.machine));
  if (host?.uid !== order.host.uid || !host.belongs || host.deleting) {
    throw stale(`Metal3Remediation ${order.remediation.name}: host ${order.host.name} does not belong to its machine`);
  }
  return { ...now, host };
}
