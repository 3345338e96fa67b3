import type { SecretReference } from '../../../api/baremetalhost/types.ts';

interface WithData {
  readonly userData?: SecretReference | undefined;
  readonly metaData?: SecretReference | undefined;
  readonly networkData?: SecretReference | undefined;
  readonly preprovisioningNetworkDataName?: string | undefined;
}

/** The network configuration of the deploy agent is also used for the deployed system when that has none. */
export function networkDataOf({
  networkData,
  preprovisioningNetworkDataName: name,
}: WithData): SecretReference | undefined {
  if (networkData?.name) return networkData;
  return name ? { name } : undefined;
}

/** The names of the Secrets that a deployment reads. */
export const dataSecretsOf = (spec: WithData): readonly string[] => [
  ...new Set([spec.userData, spec.metaData, networkDataOf(spec)].flatMap((reference) => reference?.name || [])),
];
