import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { parseBmcAddress } from '../../bmc/address.ts';
import { type AgentImage, asksFor, type ImageVerdict, type ImageWish, verdictOn } from '../../preprovisioning/image.ts';
import { same } from '../../same.ts';
import { hostRef, nodeOrder } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { fail } from '../outcome/failure.ts';
import type { Step } from '../step.ts';

/** `welcome`: told to Ironic once it is there, and not waited for. */
type ImageNeed = 'none' | 'welcome' | 'required';

const always = (need: ImageNeed) => (): ImageNeed => need;
const inService = ({ status }: HostMemory): ImageNeed =>
  status.operationalStatus === 'servicing' ? 'required' : 'none';

/** Whether the machine is going to boot the deploy agent. */
const NEEDS: Readonly<Record<ProvisioningState, (memory: HostMemory) => ImageNeed>> = {
  '': always('none'),
  unmanaged: always('none'),
  registering: always('none'),
  inspecting: ({ seen }) => (seen.spec.inspectionMode === 'fast' ? 'none' : 'required'),
  'match profile': always('none'),
  preparing: always('required'),
  available: always('welcome'),
  ready: always('welcome'),
  provisioning: always('welcome'),
  provisioned: inService,
  'externally provisioned': inService,
  deprovisioning: ({ seen }) => (seen.spec.automatedCleaningMode === 'disabled' ? 'none' : 'required'),
  'powering off before delete': always('none'),
  deleting: always('none'),
};

function imageNeed(memory: HostMemory): ImageNeed {
  if (!memory.seen.settings.buildsPreprovisioningImages) return 'none';
  return NEEDS[memory.status.provisioning.state](memory);
}

/** What to ask for; undefined for a BMC nobody knows, of which the registration tells. */
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

/** Sees to it that there is a PreprovisioningImage that asks for what the host needs, and fails with what its builder complains of. */
export function askForImage(memory: HostMemory, now: number): Step | undefined {
  const wish = imageNeed(memory) === 'none' ? undefined : wishOf(memory);
  if (wish === undefined) return undefined;
  const { image } = memory.seen;
  const isAsked = image !== undefined && asksFor(image, wish);
  // What was asked for a moment ago is not seen before the watch tells.
  if (!isAsked && !same(memory.imageAsked, wish)) {
    return { kind: 'act', action: { name: 'image', order: { host: hostRef(memory), wish } } };
  }
  const verdict = isAsked ? verdictFor(memory) : undefined;
  if (verdict?.kind !== 'broken') return undefined;
  const failed = fail(memory, 'registration error', verdict.message, { now, dice: (now % 1_000) / 1_000 });
  return { kind: 'note', memory: { ...failed, registration: null } };
}

/** The last of the guards: only a registered host waits for its image. */
export function awaitImage(memory: HostMemory): Step | undefined {
  if (imageNeed(memory) !== 'required' || usableImage(memory) !== null) return undefined;
  return { kind: 'wait', reason: 'waiting for its PreprovisioningImage' };
}

/** The image to tell Ironic of; null: what Ironic was told stays. */
function usableImage(memory: HostMemory): AgentImage | null {
  const wish = imageNeed(memory) === 'none' ? undefined : wishOf(memory);
  const { image } = memory.seen;
  if (wish === undefined || image === undefined || !asksFor(image, wish)) return null;
  const verdict = verdictFor(memory);
  return verdict.kind === 'usable' ? verdict.image : null;
}

/** What a registration tells Ironic of the deploy agent; undefined: what the operator has configured. */
export function imageOrder(
  memory: HostMemory,
): { readonly image: AgentImage | null; readonly required: boolean } | undefined {
  if (!memory.seen.settings.buildsPreprovisioningImages) return undefined;
  return { image: usableImage(memory), required: imageNeed(memory) === 'required' };
}

/** Ironic was told of another image, or of none. */
export function isImageUntold(memory: HostMemory): boolean {
  const image = usableImage(memory);
  return image !== null && !same(image, memory.registration?.agentImage);
}
