import type { Condition, LegacyCondition } from '../../entity/view.ts';

export const CONDITIONS = ['AssociateBareMetalHost', 'AssociateMetal3MachineMetaData', 'Metal3DataReady'] as const;
export type MachineConditionType = (typeof CONDITIONS)[number] | 'Paused';

/** In the order of their precedence for Ready. */
export const LEGACY_CONDITIONS = ['AssociateBMH', 'Metal3DataReady', 'KubernetesNodeReady'] as const;
export type LegacyConditionType = (typeof LEGACY_CONDITIONS)[number];

export type ConditionReason =
  | 'AssociateBareMetalHostSuccess'
  | 'AssociateBareMetalHostViaNodeReuseSuccess'
  | 'AssociateBareMetalHostFailed'
  | 'WaitingForMetal3MachineOwnerRef'
  | 'WaitingForClusterInfrastructureReady'
  | 'WaitingforMetal3Cluster'
  | 'WaitingForBootstrapData'
  | 'BareMetalHostPauseAnnotationSetFailed'
  | 'BareMetalHostPauseAnnotationRemoveFailed'
  | 'Paused'
  | 'NotPaused'
  | 'AssociateMetal3MachineMetaDataSuccess'
  | 'AssociateMetal3MachineMetaDataFailed'
  | 'CreateError'
  | 'UpdateError'
  | 'Deleting'
  | 'DisassociateM3MetaDataFailed'
  | 'DeletionFailed'
  | 'Metal3DataSecretsReady'
  | 'SecretsSetExternally'
  | 'WaitingForMetal3Data';

export type LegacyReason =
  | 'WaitingForM3MachineOwnerRef'
  | 'WaitingForClusterInfrastructure'
  | 'WaitingforMetal3Cluster'
  | 'WaitingForBootstrapReady'
  | 'Metal3MachinePaused'
  | 'PauseAnnotationRemoveFailed'
  | 'PauseAnnotationSetFailedReason'
  | 'AssociateBMHFailed'
  | 'AssociateM3MetaDataFailed'
  | 'DisassociateM3MetaDataFailed'
  | 'DeletionFailed'
  | 'Deleting'
  | 'WaitingForMetal3Data';

export type Conditions = Readonly<Partial<Record<MachineConditionType, Omit<Condition, 'type'>>>>;
export type LegacyConditions = Readonly<Partial<Record<LegacyConditionType, Omit<LegacyCondition, 'type'>>>>;
