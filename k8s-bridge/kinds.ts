import type { Store } from '../kube/store.ts';
import type { BridgeConfig } from '../platform/config/config.ts';
import { cares } from '../platform/config/controllers.ts';
import type { Binding, ReconcilingLater } from './binding.ts';
import { type InheritDeps, inheritApprovals } from './bindings/baremetalhost/inherit.ts';
import { settingsOf } from './bindings/baremetalhost/settings.ts';
import { hostBinding } from './bindings/baremetalhost.ts';
import { clusterBinding } from './bindings/cluster.ts';
import { dataBinding } from './bindings/data.ts';
import { dataTemplateBinding } from './bindings/data-template.ts';
import { ipPoolBinding } from './bindings/ip-pool.ts';
import { machineBinding } from './bindings/machine.ts';
import { machineApiBindings, machineApiOptions } from './bindings/machine-api/kinds.ts';
import { remediationBinding } from './bindings/remediation.ts';
import type { HostChoice } from './choose-host/host-choice.ts';
import type { Steering } from './steering/steering.ts';
import type { Labels } from './sweeps/labels.ts';

/** What the bridge gives to all bindings; each takes what it needs. */
export interface BindingsAround extends ReconcilingLater {
  readonly config: Parameters<typeof settingsOf>[0] &
    Parameters<typeof machineApiOptions>[0] &
    Pick<BridgeConfig, 'CONTROLLERS' | 'PROVIDER_ID_FORMAT'>;
  readonly kube: InheritDeps['kube'];
  readonly stores: Store;
  readonly tally: NonNullable<Binding['tally']>;
  readonly steering: Pick<Steering, 'noteHost' | 'noteMachine' | 'noteMachineApi'>;
  readonly newsOf: HostChoice['newsOf'];
  readonly driftOf: Labels['driftOf'];
}

const hasMachineApi = ({ config }: Pick<BindingsAround, 'config'>): boolean => config.MACHINE_API !== 'off';

/** One entry for each kind with workflows, in the order in which their objects are resynced. */
const BINDINGS: readonly ((around: BindingsAround) => Binding | readonly Binding[])[] = [
  (around) =>
    hostBinding({
      settings: settingsOf(around.config),
      hasMachineApi: hasMachineApi(around),
      tally: around.tally,
      note: around.steering.noteHost,
      completeFirst: (entry) => inheritApprovals(entry, around),
    }),
  () => clusterBinding,
  dataTemplateBinding,
  () => dataBinding,
  ipPoolBinding,
  ({ config, steering, ...around }) =>
    machineBinding({
      ...around,
      settings: { providerIdFormat: config.PROVIDER_ID_FORMAT, fastTrack: config.CAPM3_FAST_TRACK },
      note: steering.noteMachine,
    }),
  (around) => remediationBinding({ hasMachineApi: hasMachineApi(around) }),
  ({ config, steering, newsOf }) =>
    machineApiBindings({ ...machineApiOptions(config), newsOf, noteOf: steering.noteMachineApi }),
];

/** The bindings of the kinds that this bridge cares for. */
export const bindingsIn = (around: BindingsAround): readonly Binding[] =>
  BINDINGS.flatMap((bind) => bind(around)).filter(({ followed: { workflow } }) =>
    workflow.controller === 'machine-api' ? hasMachineApi(around) : cares(around.config, workflow.controller),
  );
