import { MACHINE_API_MACHINES } from '../../../kube/kinds.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import type { Stores } from '../../../kube/store.ts';
import { defaultDeployment, type MachineApiConfig } from '../../../platform/config/machine-api-settings.ts';
import type { Binding } from '../../binding.ts';
import { ownObjects } from '../../watch/own-objects.ts';
import type { Choosing } from '../choosing.ts';
import { type MachineApiOptions, machineApiBinding } from './machine.ts';
import { machineSetBinding } from './machine-set.ts';

export const machineApiBindings = (options: MachineApiOptions): readonly Binding[] => [
  ...MACHINE_API_MACHINES.map((kind) => machineApiBinding(kind, options)),
  machineSetBinding(options),
];

/** For the host choice: Machines that wait for a host are queued when one may have become free. */
export const choosingMachines = (stores: Stores, look: (kind: string, key: string) => void): readonly Choosing[] =>
  MACHINE_API_MACHINES.map((followed) => ({
    followed,
    machines: ownObjects({ followed, ignoresWatchFilter: true }, stores, ''),
    mayClaim: ({ object }: { readonly object: unknown }) => readMetadata(object).deletionTimestamp === undefined,
    look: (key: string) => look(followed.kind, key),
  }));

/** The options for Machines, as far as they follow from the bridge's settings. */
export function machineApiOptions(
  config: MachineApiConfig & { readonly CAPM3_FAST_TRACK: boolean },
): Pick<MachineApiOptions, 'settings' | 'defaults'> {
  const settings = { isController: config.MACHINE_API === 'all', fastTrack: config.CAPM3_FAST_TRACK };
  return { settings, defaults: defaultDeployment(config) };
}
