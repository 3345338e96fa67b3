import type { PreprovisioningImageSpec } from '../../api/preprovisioningimage/schema.ts';
import type { ImageFormat } from '../../api/preprovisioningimage/values.ts';
import type { AgentImage } from './image.ts';

/**
 * The URLs of one part of the deploy agent: the general one, and one for each architecture (in upper case) that has its
 * own.
 */
export interface AgentUrl {
  readonly base?: string;
  readonly byArchitecture: Readonly<Record<string, string>>;
}

/** The operator's ready-made images. */
export interface AgentUrls {
  readonly iso: AgentUrl;
  readonly kernel: AgentUrl;
  readonly ramdisk: AgentUrl;
}

/**
 * Formats of which there is an image. A format with images for some architectures only does not count, because hosts
 * cannot rely on it.
 */
export const formatsOf = ({ iso, kernel, ramdisk }: AgentUrls): readonly ImageFormat[] => [
  ...(iso.base ? (['iso'] as const) : []),
  ...(kernel.base && ramdisk.base ? (['initrd'] as const) : []),
];

/** The first format that the host accepts and that has an image. */
export const chosenFormat = (
  urls: AgentUrls,
  { acceptFormats = [] }: PreprovisioningImageSpec,
): ImageFormat | undefined => acceptFormats.find((format) => formatsOf(urls).includes(format));

export function imageFor(urls: AgentUrls, format: ImageFormat, architecture: string): AgentImage {
  const at = ({ base = '', byArchitecture }: AgentUrl): string => byArchitecture[architecture.toUpperCase()] ?? base;
  return format === 'iso'
    ? { format, url: at(urls.iso) }
    : { format, url: at(urls.ramdisk), kernelUrl: at(urls.kernel) };
}
