import type { PreprovisioningImageSpec } from '../../api/preprovisioningimage/types.ts';
import type { ImageFormat } from '../../api/preprovisioningimage/values.ts';
import type { AgentImage } from './image.ts';

/** Where one part of the deploy agent is: for every architecture, or for those (in upper case) that have their own. */
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

/** Formats there are images of. One that exists for some architectures only does not count: nobody could rely on it. */
export const formatsOf = ({ iso, kernel, ramdisk }: AgentUrls): readonly ImageFormat[] => [
  ...(iso.base ? (['iso'] as const) : []),
  ...(kernel.base && ramdisk.base ? (['initrd'] as const) : []),
];

/** The first format the host accepts that there is an image of. */
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
