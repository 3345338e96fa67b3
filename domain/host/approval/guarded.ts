import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { cleanSteps } from '../../ironic/clean/machine-change.ts';
import { raidSteps } from '../../ironic/clean/raid.ts';
import type { PowerOrder, PrepareOrder } from '../../ironic/orders.ts';
import { codeOf } from '../../steering/code.ts';
import { publicPart } from '../../urls/hidden.ts';
import { raidChange } from '../desired/preparation.ts';
import { deploymentData, provisionedWith, wantedImage, wantedMethod } from '../desired/wishes.ts';
import type { CarriedHostStatus } from '../memory/host-record.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isRebootKey } from '../memory/reboot-annotations.ts';
import type { ApprovalKind } from './kinds.ts';

/** The facts about a host by which a step is judged: from its memory, or from the BareMetalHost as it was just read. */
export interface GuardedHost {
  readonly seen: Pick<HostMemory['seen'], 'uid' | 'spec' | 'annotations'> & {
    readonly deletionTimestamp?: string | undefined;
  };
  readonly status: Pick<CarriedHostStatus, 'provisioning'> & Pick<HostMemory['status'], 'operationHistory'>;
  readonly consumedAnnotations: readonly string[];
}

/** A step that people may want to approve first. */
export interface Guarded {
  readonly kinds: readonly ApprovalKind[];
  /** What would be done, after "to". */
  readonly does: string;
  /** The code that an approval of the step names. */
  readonly code: string;
}

export function subjectOf({ metadata, spec, status }: BareMetalHost): GuardedHost {
  const { uid = '', annotations = {}, deletionTimestamp } = metadata;
  return {
    seen: { uid, spec, annotations, deletionTimestamp },
    status: {
      provisioning: status?.provisioning ?? { state: '', ID: '' },
      operationHistory: status?.operationHistory ?? {},
    },
    consumedAnnotations: [],
  };
}

const isCleaned = ({ spec }: GuardedHost['seen']): boolean => spec.automatedCleaningMode !== 'disabled';

/** A deployment writes over whatever is on the disks. Ironic cleans all of them before, unless that is off. */
export function provisioning({ seen }: GuardedHost): Guarded {
  const image = wantedImage({ seen });
  const method = wantedMethod({ seen });
  const { rootDeviceHints: hints } = seen.spec;
  const what = image === undefined ? `deploy with step ${method ?? ''}` : `write image ${publicPart(image.url)}`;
  const chosen = Object.entries(hints ?? {}).map(([name, value]) => `${name} ${value}`);
  const which = chosen.length === 0 ? undefined : `with ${chosen.join(' and ')}`;
  const does = isCleaned(seen)
    ? `clean its disks and ${what} over ${which === undefined ? 'them' : `the one ${which}`}`
    : `${what} over its ${which === undefined ? 'disks' : `disk ${which}`}`;
  return {
    kinds: ['erase'],
    does,
    code: codeOf(seen.uid, 'provision', {
      image,
      method,
      data: deploymentData(seen.spec),
      hints,
      // Left out by default, as the hints are without any: most approvals from before these were named stay valid.
      ...(!isCleaned(seen) && { isCleaned: false }),
    }),
  };
}

/**
 * The end of a deployment; undefined where nothing is deployed, as after a deployment that failed. The next image does
 * not matter here: its deployment is a step of its own.
 */
export function deprovisioning({ seen, status }: GuardedHost): Guarded | undefined {
  const { url, method } = provisionedWith({ status });
  if (url === '' && !method) return undefined;
  const since = status.operationHistory.provision?.end ?? null;
  const cleans = isCleaned(seen);
  const what = url === '' ? `undo the deploy step ${method ?? ''}` : `remove image ${publicPart(url)}`;
  return {
    kinds: cleans ? ['erase', 'power-off'] : ['power-off'],
    does: `power it off, ${what}, ${cleans ? 'and clean its disks' : 'and leave its disks uncleaned'}`,
    code: codeOf(seen.uid, 'deprovision', { url, method, since, isCleaned: cleans }),
  };
}

/** Powering off, and reboots. */
export function poweringOff(
  { seen, consumedAnnotations }: GuardedHost,
  { on, rebootFor }: Pick<PowerOrder, 'on' | 'rebootFor'>,
): Guarded | undefined {
  if (on && rebootFor === undefined) return undefined;
  const reboots = Object.entries(seen.annotations)
    .filter(([key]) => isRebootKey(key) && !consumedAnnotations.includes(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const wish = { on, online: seen.spec.online, reboots, isDeleting: seen.deletionTimestamp !== undefined };
  const isReboot = on || (seen.spec.online && reboots.length > 0);
  return {
    kinds: ['power-off'],
    does: isReboot ? `reboot it for ${reboots.map(([key]) => key).join(', ')}` : 'power it off',
    code: codeOf(seen.uid, 'power-off', wish),
  };
}

/** Manual cleaning that builds volumes, or changes firmware or its settings; undefined: there is nothing to clean. */
export function preparing({ seen }: GuardedHost, order: PrepareOrder): Guarded | undefined {
  const raid = order.unprepared ? raidChange(order) : undefined;
  if (raid === undefined) return undefined;
  const buildsVolumes = raidSteps(raid).length > 0;
  const changesFirmware = cleanSteps({ ...order, raid }).length > raidSteps(raid).length;
  if (!buildsVolumes && !changesFirmware) return undefined;
  const { targetRaid, biosSettings, firmwareUpdates } = order;
  const words = [
    ...(buildsVolumes ? ['build its RAID volumes, which erases their disks'] : []),
    ...(changesFirmware ? ['change its firmware'] : []),
  ];
  return {
    kinds: [...(buildsVolumes ? (['erase'] as const) : []), ...(changesFirmware ? (['firmware'] as const) : [])],
    does: words.join(' and '),
    code: codeOf(seen.uid, 'prepare', { targetRaid, biosSettings, firmwareUpdates }),
  };
}
