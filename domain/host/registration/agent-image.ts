import { parseBmcAddress } from '../../bmc/address.ts';
import { type AgentImage, asksFor, type ImageVerdict, type ImageWish, verdictOn } from '../../preprovisioning/image.ts';
import { same } from '../../same.ts';
import { traitsOf } from '../../states/table.ts';
import type { AgentNeed } from '../../states/traits.ts';
import { hostRef, nodeOrder } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { fail } from '../outcome/failure.ts';
import type { HostStep } from '../step.ts';

/** `welcome`: sent to Ironic when it exists, but not waited for. */
type ImageNeed = 'none' | 'welcome' | 'required';

/** Whether the host will boot the deploy agent. */
const NEEDS: Readonly<Record<AgentNeed, (memory: HostMemory) => ImageNeed>> = {
  never: () => 'none',
  welcome: () => 'welcome',
  required: () => 'required',
  'unless inspected by the BMC': ({ seen }) => (seen.spec.inspectionMode === 'fast' ? 'none' : 'required'),
  'unless cleaning is disabled': ({ seen }) => (seen.spec.automatedCleaningMode === 'disabled' ? 'none' : 'required'),
  'while serviced': ({ status }) => (status.operationalStatus === 'servicing' ? 'required' : 'none'),
};

function imageNeed(memory: HostMemory): ImageNeed {
  if (!memory.seen.settings.buildsPreprovisioningImages) return 'none';
  return NEEDS[traitsOf(memory.status.provisioning.state).node.agentImage](memory);
}

/** The requirements for the image; undefined for an unknown BMC type, which registration reports. */
function wishOf(memory: HostMemory): ImageWish | undefined {
  const { bmc, architecture, preprovisioningNetworkDataName: networkDataName } = nodeOrder(memory);
  const parsed = parseBmcAddress(bmc.address, { fakeHardware: true });
  if (parsed.kind === 'invalid') return undefined;
  return {
    ...(networkDataName && { networkDataName }),
    ...(architecture && { architecture }),
    acceptFormats: parsed.address.kind.bootsIso ? ['iso', 'initrd'] : ['initrd'],
  };
}

function verdictFor({ seen }: HostMemory): ImageVerdict {
  const { image, preprovisioningNetworkData } = seen;
  if (image === undefined) return { kind: 'pending' };
  return verdictOn(image, preprovisioningNetworkData?.resourceVersion ?? null);
}

/** Ensures a PreprovisioningImage with the host's requirements, and fails with the error of its builder. */
export function askForImage(memory: HostMemory, now: number): HostStep | undefined {
  const wish = imageNeed(memory) === 'none' ? undefined : wishOf(memory);
  if (wish === undefined) return undefined;
  const { image } = memory.seen;
  const isAsked = image !== undefined && asksFor(image, wish);
  // Our own request is not visible before the watch delivers it.
  if (!isAsked && !same(memory.imageRequested, wish)) {
    return { kind: 'act', action: { name: 'image', order: { host: hostRef(memory), desired: wish } } };
  }
  const verdict = isAsked ? verdictFor(memory) : undefined;
  if (verdict?.kind !== 'broken') return undefined;
  const failed = fail(memory, 'registration error', verdict.message, { now, dice: (now % 1_000) / 1_000 });
  return { kind: 'note', memory: { ...failed, registration: null } };
}

/** The last guard: only a registered host waits for its image. */
export function awaitImage(memory: HostMemory): HostStep | undefined {
  if (imageNeed(memory) !== 'required' || usableImage(memory) !== null) return undefined;
  return { kind: 'wait', reason: 'waiting for its PreprovisioningImage' };
}

/** The image for Ironic; null keeps the image that Ironic has. */
function usableImage(memory: HostMemory): AgentImage | null {
  const wish = imageNeed(memory) === 'none' ? undefined : wishOf(memory);
  const { image } = memory.seen;
  if (wish === undefined || image === undefined || !asksFor(image, wish)) return null;
  const verdict = verdictFor(memory);
  return verdict.kind === 'usable' ? verdict.image : null;
}

/** The deploy agent settings of a registration; undefined for the operator's defaults. */
export function imageOrder(
  memory: HostMemory,
): { readonly image: AgentImage | null; readonly required: boolean } | undefined {
  if (!memory.seen.settings.buildsPreprovisioningImages) return undefined;
  return { image: usableImage(memory), required: imageNeed(memory) === 'required' };
}

/** Ironic has another image, or none. */
export function isImageUntold(memory: HostMemory): boolean {
  const image = usableImage(memory);
  return image !== null && !same(image, memory.registration?.agentImage);
}
