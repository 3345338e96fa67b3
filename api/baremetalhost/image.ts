import { z } from 'zod';

export const image = z.object({
  url: z.string().describe('URL of the image: http(s)://, file:// or oci://.'),
  checksum: z
    .string()
    .describe('Checksum of the image, or the URL of a file that lists it. Not needed for live-iso and oci:// images.')
    .optional(),
  checksumType: z
    .enum(['md5', 'sha256', 'sha512', 'auto'])
    .describe(
      'Algorithm of the checksum; auto detects it from the length. The default is md5, so set auto where possible.',
    )
    .optional(),
  format: z
    .enum(['raw', 'qcow2', 'vdi', 'vmdk', 'live-iso'])
    .describe('Format of the image. A live-iso is booted from virtual media each time and never written to a disk.')
    .optional(),
  ociAuthSecretName: z
    .string()
    .describe(
      'Secret with the registry credentials for an oci:// image, in the namespace of the host, of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg.',
    )
    .optional(),
});

export const customDeploy = z.object({
  method: z.string().describe('Name of the deploy step in the deploy agent.'),
});
