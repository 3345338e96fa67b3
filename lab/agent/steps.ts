import type { ImageInfo } from './checksum.ts';
import type { Disk } from './disk.ts';
import type { FailureStore } from './failures.ts';
import { writeImage } from './write-image.ts';

/** A step as Ironic hands it to an agent. */
export interface Step {
  readonly interface: string;
  readonly step: string;
  readonly args?: { readonly image_info?: ImageInfo; readonly configdrive?: string | null };
}

const HARDWARE_MANAGER = 'GenericHardwareManager';
const VERSION = { generic_hardware_manager: '1.2' };

const offered = (step: string, priority: number): object => ({
  step,
  priority,
  interface: 'deploy',
  reboot_requested: false,
  abortable: true,
});

export const CLEAN_STEPS = {
  clean_steps: { [HARDWARE_MANAGER]: [offered('erase_devices_metadata', 99), offered('erase_devices', 10)] },
  hardware_manager_version: VERSION,
};

export const DEPLOY_STEPS = {
  deploy_steps: { [HARDWARE_MANAGER]: [offered('write_image', 0)] },
  hardware_manager_version: VERSION,
};

export interface StepContext {
  readonly disk: Disk;
  readonly failures: FailureStore;
  readonly signal: AbortSignal;
  /** Passes the time a step takes. */
  pause(milliseconds: number): Promise<void>;
  readonly stepMs: number;
}

const misbehave = async (context: StepContext, kind: 'deploy-step' | 'clean-step', step: string): Promise<void> => {
  const slow = await context.failures.take('slow-step', step);
  await context.pause(context.stepMs + (slow?.milliseconds ?? 0));
  const failure = await context.failures.take(kind, step);
  if (failure) throw new Error(failure.message);
};

/** Runs a clean step: erasing is real as far as a made-up disk goes, everything else just takes its time. */
export const runCleanStep = async (context: StepContext, step: Step): Promise<object> => {
  await misbehave(context, 'clean-step', step.step);
  if (step.step.startsWith('erase_devices')) await context.disk.erase();
  return { clean_result: null, clean_step: step };
};

export const runDeployStep = async (context: StepContext, step: Step): Promise<object> => {
  await misbehave(context, 'deploy-step', step.step);
  if (step.step === 'write_image') {
    await writeImage(context.disk, step.args?.image_info ?? {}, step.args?.configdrive ?? null, context.signal);
  }
  return { deploy_result: null, deploy_step: step };
};
