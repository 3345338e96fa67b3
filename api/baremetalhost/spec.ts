import { z } from 'zod';
import { objectReference, secretReference } from '../meta/references.ts';
import { macAddress } from '../meta/scalars.ts';
import { firmwareConfig, taint } from './deprecated.ts';
import { customDeploy, image } from './image.ts';
import { networkInterface } from './network.ts';
import { raid } from './raid.ts';
import { rootDeviceHints } from './root-device-hints.ts';
import { AUTOMATED_CLEANING_MODES, BOOT_MODES, INSPECTION_MODES } from './values.ts';

const bmc = z.object({
  address: z.string().describe('URL of the BMC. Its scheme selects the driver, for example redfish-virtualmedia://.'),
  credentialsName: z.string().describe('Secret with username and password of the BMC, in the namespace of the host.'),
  disableCertificateVerification: z
    .boolean()
    .describe('Accepts any TLS certificate of the BMC. This allows man-in-the-middle attacks.')
    .optional(),
});

export const bareMetalHostSpec = z
  .object({
    online: z
      .boolean()
      .describe(
        'Whether the host should be powered on when no operation is running. While false, the host is not provisioned.',
      ),
    bmc: bmc.describe('Address and credentials of the BMC.').optional(),
    bootMACAddress: macAddress()
      .describe('MAC address of the NIC from which the host boots over the network; not the MAC address of the BMC.')
      .optional(),
    bootMode: z
      .enum(BOOT_MODES)
      .describe(
        'Boot mode. UEFI when left out; UEFISecureBoot enables secure boot for the deployed system; legacy is for hardware without usable UEFI.',
      )
      .optional(),
    image: image
      .describe(
        'Image to deploy. Setting it provisions the host, changing it provisions the host again, removing it deprovisions the host.',
      )
      .optional(),
    customDeploy: customDeploy
      .describe('Custom deploy step of the deploy agent, with or without an image. Setting it provisions the host.')
      .optional(),
    userData: secretReference
      .describe('Secret with the user data for the config drive; cloud-init or Ignition reads it at first boot.')
      .optional(),
    networkData: secretReference
      .describe('Secret with the network configuration for the config drive; cloud-init reads it at first boot.')
      .optional(),
    metaData: secretReference
      .describe(
        'Secret whose entries are added to the metadata of the config drive. The config drive has metadata without it as well.',
      )
      .optional(),
    preprovisioningNetworkDataName: z
      .string()
      .describe(
        'Secret with the network configuration of the deploy agent, in the namespace of the host. Also used for the config drive when networkData is left out.',
      )
      .optional(),
    rootDeviceHints: rootDeviceHints
      .describe('Selects the disk that the image is written to: the first that satisfies all hints.')
      .optional(),
    raid: raid
      .describe(
        'RAID volumes to build before an image is deployed. When left out, RAID is not changed. Either hardware or software RAID, not both.',
      )
      .optional(),
    automatedCleaningMode: z
      .enum(AUTOMATED_CLEANING_MODES)
      .describe(
        'Whether the partition tables of the disks are erased before the host becomes available and after it is deprovisioned.',
      )
      .default('metadata'),
    externallyProvisioned: z
      .boolean()
      .describe(
        'Declares that the host was installed by other means. Temper then does not inspect, clean or deploy it and manages only its power.',
      )
      .optional(),
    consumerRef: objectReference
      .describe('Consumer of the host. Set by the consumer; a host with a consumer is in use.')
      .optional(),
    description: z.string().describe('Free text for people.').optional(),
    architecture: z
      .string()
      .describe('CPU architecture, for example x86_64 or aarch64. Inspection fills it in when it is left out.')
      .optional(),
    disablePowerOff: z
      .boolean()
      .describe('Never powers the host off: it is rebooted where it would be powered off.')
      .optional(),
    inspectionMode: z
      .enum(INSPECTION_MODES)
      .describe(
        'How hardware is inspected: agent boots the deploy agent, fast asks the BMC without booting the host, disabled skips inspection.',
      )
      .optional(),
    networkInterfaces: z
      .array(networkInterface)
      .describe('Network configuration of the NICs, selected by name or MAC address as inspection reported them.')
      .optional(),
    hardwareProfile: z
      .string()
      .describe(
        'Deprecated: use rootDeviceHints and architecture. Selects a set of defaults for the root disk; empty for none.',
      )
      .optional(),
    firmware: firmwareConfig.describe('Deprecated and without effect: use HostFirmwareSettings.').optional(),
    taints: z.array(taint).describe('Deprecated and without effect.').optional(),
  })
  .describe('Desired state of the host.');
