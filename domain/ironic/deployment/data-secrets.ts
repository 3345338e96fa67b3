import type { SecretReference } from '../../../api/baremetalhost/types.ts';
import { isOci } from './image.ts';

interface WithLogin {
  readonly url?: string | undefined;
  readonly ociAuthSecretName?: string | undefined;
}

interface WithData {
  readonly image?: WithLogin | undefined;
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

/** The name of the Secret with the login for the registry of an image; '' for an image of a public or of no registry. */
export const registrySecretOf = ({ url = '', ociAuthSecretName = '' }: WithLogin): string =>
  isOci({ url }) ? ociAuthSecretName : '';

/** The names of the Secrets that a deployment reads. */
export const dataSecretsOf = (spec: WithData): readonly string[] => {
  const names = [spec.userData, spec.metaData, networkDataOf(spec)].map((reference) => reference?.name ?? '');
  return [...new Set([...names, registrySecretOf(spec.image ?? {})])].filter((name) => name !== '');
};
