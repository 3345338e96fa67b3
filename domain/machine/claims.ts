import type { Claim, LegacyClaim } from '../entity/view.ts';

export const CONDITIONS = ['AssociateBareMetalHost', 'AssociateMetal3MachineMetaData', 'Metal3DataReady'] as const;
export type ConditionType = (typeof CONDITIONS)[number] | 'Paused';

/** In the order in which they count for Ready. */
export const LEGACY_CONDITIONS = ['AssociateBMH', 'Metal3DataReady', 'KubernetesNodeReady'] as const;
export type LegacyType = (typeof LEGACY_CONDITIONS)[number];

export type ClaimReason =
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

export type Claims = Readonly<Partial<Record<ConditionType, Omit<Claim, 'type'>>>>;
export type LegacyClaims = Readonly<Partial<Record<LegacyType, Omit<LegacyClaim, 'type'>>>>;
