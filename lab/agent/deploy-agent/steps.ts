import type { AgentImageInfo } from '../../disk/checksum.ts';
import type { AgentDisk } from '../../disk/disk.ts';
import { buildVolumes } from '../../disk/raid.ts';
import { writeImage } from '../../disk/write-image.ts';
import type { LabInventory } from '../../machines/inventory.ts';
import type { FailureStore } from './failures.ts';

/** A step as Ironic sends it to an agent. */
export interface AgentStep {
  readonly interface: string;
  readonly step: string;
  readonly args?: { readonly image_info?: AgentImageInfo; readonly configdrive?: string | null };
}

const HARDWARE_MANAGER = 'GenericHardwareManager';
const VERSION = { generic_hardware_manager: '1.2' };

const offered = (step: string, priority: number, ofInterface = 'deploy'): object => ({
  step,
  priority,
  interface: ofInterface,
  reboot_requested: false,
  abortable: true,
});

export const CLEAN_STEPS = {
  clean_steps: {
    [HARDWARE_MANAGER]: [
      offered('erase_devices_metadata', 99),
      offered('erase_devices', 10),
      // Only for manual cleaning.
      offered('delete_configuration', 0, 'raid'),
      offered('create_configuration', 0, 'raid'),
    ],
  },
  hardware_manager_version: VERSION,
};

export const DEPLOY_STEPS = {
  deploy_steps: { [HARDWARE_MANAGER]: [offered('write_image', 0)] },
  hardware_manager_version: VERSION,
};

export interface StepContext {
  readonly disk: AgentDisk;
  readonly disks: LabInventory['disks'];
  readonly failures: FailureStore;
  readonly signal: AbortSignal;
  /** Waits for the duration of a step. */
  pause(milliseconds: number): Promise<void>;
  readonly stepMs: number;
}

const misbehave = async (context: StepContext, kind: 'deploy-step' | 'clean-step', step: string): Promise<void> => {
  const slow = await context.failures.take('slow-step', step);
  await context.pause(context.stepMs + (slow?.milliseconds ?? 0));
  const failure = await context.failures.take(kind, step);
  if (failure) throw new Error(failure.message);
};

/** The part of a node that comes with each step. */
export interface StepNode {
  readonly target_raid_config?: unknown;
}

/**
 * Runs a clean step: erasing disks and building volumes change the simulated disks, every other step only takes time.
 */
export const runCleanStep = async (context: StepContext, step: AgentStep, node: StepNode): Promise<object> => {
  await misbehave(context, 'clean-step', step.step);
  const clean_result = await cleanResult(context, step, node);
  return { clean_result, clean_step: step };
};

async function cleanResult({ disk, disks }: StepContext, step: AgentStep, node: StepNode): Promise<unknown> {
  if (step.step.startsWith('erase_devices')) await disk.erase();
  if (step.interface !== 'raid') return null;
  const { volumes } = await disk.read();
  if (step.step === 'delete_configuration') await disk.divide([]);
  if (step.step !== 'create_configuration') return null;
  await disk.divide(buildVolumes(node.target_raid_config, disks, volumes));
  return node.target_raid_config;
}

export const runDeployStep = async (context: StepContext, step: AgentStep): Promise<object> => {
  await misbehave(context, 'deploy-step', step.step);
  if (step.step === 'write_image') {
    await writeImage(context.disk, step.args?.image_info ?? {}, step.args?.configdrive ?? null, context.signal);
  }
  return { deploy_result: null, deploy_step: step };
};
