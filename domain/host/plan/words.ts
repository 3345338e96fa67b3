import { cleanSteps } from '../../ironic/clean/machine-change.ts';
import { isLiveIso } from '../../ironic/deployment/image.ts';
import type { NodeOrder, PrepareOrder, ProvisionOrder } from '../../ironic/orders.ts';
import { needsInWords } from '../../lock/words.ts';
import { publicPart } from '../../urls/hidden.ts';
import { slotLimit } from '../capacity/slot-guard.ts';
import { raidChange } from '../desired/preparation.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { type Unsent, unsent } from '../registration/unsent.ts';
import { summaryOf } from '../report/words.ts';

/** A part of a plan in words. */
export interface PlannedWork {
  readonly does: string;
  /** What is lost on the server; absent when nothing is. */
  readonly erases?: string;
}

const ALL_TABLES = 'the partition tables of all disks';

/** What a task does, for people; one line for each thing that they may want to know beforehand. */
export function workOf(memory: HostMemory, task: Task): readonly PlannedWork[] {
  switch (task.name) {
    case 'register':
      if (memory.registration === null) return [{ does: 'register with Ironic, and verify the BMC' }];
      return sentWork(unsent(memory, memory.registration));
    case 'inspect':
      return [
        {
          does:
            task.order.inspectionMode === 'fast'
              ? 'ask the BMC for the hardware'
              : 'boot the deploy agent, and inspect the hardware',
        },
      ];
    case 'prepare':
      return prepareWork(task.order);
    case 'provision':
      return provisionWork(memory, task.order);
    case 'deprovision':
      return [
        { does: `remove ${publicPart(memory.status.provisioning.image?.url ?? '') || 'what is deployed'}` },
        ...cleaning(task.order),
      ];
    case 'ask for place':
      if (task.order.lock === 'slots')
        return [{ does: `wait for one of ${slotLimit(task.order)} slots in Ironic, if all are taken` }];
      return [{ does: `wait for its turn, if there are as many hosts at a time: ${needsInWords(task.order.needs)}` }];
    case 'return place':
      return [];
    case 'detach':
      return [{ does: 'delete the node from Ironic; what runs on the server keeps running' }];
    case 'abort':
      return [{ does: 'abort what Ironic does' }];
    case 'image':
    case 'examine':
    case 'adopt':
    case 'power':
    case 'media':
    case 'discard':
    case 'release':
    case 'delete':
      return [{ does: lowered(summaryOf(task)) }];
  }
}

/** Nothing, when Ironic keeps all that the host no longer asks for. */
function sentWork(changes: readonly Unsent[]): readonly PlannedWork[] {
  const sent = changes.filter(({ isKept }) => isKept !== true).map(({ what }) => what);
  return sent.length === 0 ? [] : [{ does: `send to Ironic: ${sent.join(', ')}` }];
}

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

const cleaning = ({ automatedCleaningMode }: Pick<NodeOrder, 'automatedCleaningMode'>): readonly PlannedWork[] =>
  automatedCleaningMode === 'disabled' ? [] : [{ does: 'clean the disks', erases: ALL_TABLES }];

function prepareWork(order: PrepareOrder): readonly PlannedWork[] {
  const raid = raidChange(order);
  const steps = raid === undefined ? [] : cleanSteps({ ...order, raid }).map(({ step }) => step);
  const works = [
    ...(steps.includes('delete_configuration')
      ? [{ does: 'delete the RAID volumes', erases: 'all RAID volumes with their data' }]
      : []),
    ...(steps.includes('erase_devices_metadata') ? [{ does: 'clean the disks', erases: ALL_TABLES }] : []),
    ...(steps.includes('create_configuration') ? [{ does: 'build the RAID volumes of spec.raid' }] : []),
  ];
  return works.length === 0 ? [{ does: 'have Ironic make the node manageable' }] : works;
}

/** States of a node whose disks have been cleaned already, or are being written. */
const CLEANED: readonly string[] = ['available', 'deploying', 'wait call-back', 'active', 'deploy failed'];

function provisionWork(memory: HostMemory, order: ProvisionOrder): readonly PlannedWork[] {
  const cleans = CLEANED.includes(memory.node?.state ?? '') ? [] : cleaning(order);
  const { image, customDeployMethod: method } = order;
  const url = publicPart(image?.url ?? '');
  if (method !== undefined) {
    const what = url === '' ? '' : ` with ${url}`;
    return [...cleans, { does: `run the deploy step ${method}${what}`, erases: 'what that step overwrites' }];
  }
  if (isLiveIso(order)) return [...cleans, { does: `boot the live ISO ${url}` }];
  return [...cleans, { does: `write ${url} to ${diskOf(memory)}, and boot it`, erases: `${diskOf(memory)}` }];
}

function diskOf(memory: HostMemory): string {
  const hints = Object.entries(memory.status.provisioning.rootDeviceHints ?? {});
  if (hints.length === 0) return 'the root disk';
  return `the disk with ${hints.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`;
}
