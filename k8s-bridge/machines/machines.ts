import { reuseLabel } from '../../activities/kubernetes/node-reuse.ts';
import type { BridgeConfig } from '../../platform/config.ts';
import type { Kube } from '../../platform/kube.ts';
import { machineBinding } from '../bindings/machine.ts';
import { factsOf } from '../bindings/read.ts';
import type { Binding } from '../entities/binding.ts';
import type { HostEntry } from '../watch.ts';
import { type ChoiceActivities, createHostChoice } from './host-choice.ts';

interface MachinesDeps {
  readonly kube: Kube;
  readonly config: Pick<BridgeConfig, 'PROVIDER_ID_FORMAT' | 'CAPM3_FAST_TRACK'>;
  readonly hosts: () => readonly HostEntry[];
  /** There is news for the Metal3Machine of this key. */
  readonly tell: (key: string) => void;
}

/** Metal3Machines, and the hosts that they choose from. */
interface Machines {
  readonly binding: Binding;
  readonly activities: ChoiceActivities;
  hostChanged(now: HostEntry | undefined, before: HostEntry | undefined): void;
  stop(): void;
}

export function createMachines({ kube, config, hosts, tell }: MachinesDeps): Machines {
  const choice = createHostChoice({
    hosts: () => hosts().map(factsOf),
    reuseLabel: (place) => reuseLabel(kube, place),
    tell,
    dice: Math.random,
  });
  const settings = { providerIdFormat: config.PROVIDER_ID_FORMAT, fastTrack: config.CAPM3_FAST_TRACK };
  return {
    binding: machineBinding({ settings, newsOf: choice.newsOf }),
    activities: choice.activities,
    hostChanged: (now, before) => choice.hostChanged(now && factsOf(now), before && factsOf(before)),
    stop: () => choice.stop(),
  };
}
