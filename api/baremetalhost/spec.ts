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
  address: z
    .string()
    .describe('URL of the management controller. Its scheme chooses the driver, for example redfish-virtualmedia://.'),
  credentialsName: z
    .string()
    .describe('Secret in the namespace of the host that holds username and password of the management controller.'),
  disableCertificateVerification: z
    .boolean()
    .describe('Accepts any TLS certificate of the management controller. Open to a man in the middle.')
    .optional(),
});

export const bareMetalHostSpec = z
  .object({
    online: z
      .boolean()
      .describe('Whether the host is to be powered on once it has come to rest. While false, nothing is provisioned.'),
    bmc: bmc.describe('How the management controller of the host is reached.').optional(),
    bootMACAddress: macAddress()
      .describe('MAC address of the NIC the host boots from over the network; not that of the management controller.')
      .optional(),
    bootMode: z
      .enum(BOOT_MODES)
      .describe(
        'How the host starts. UEFI when left out; UEFISecureBoot turns secure boot on for the deployed system; legacy is for hardware without working UEFI.',
      )
      .optional(),
    image: image
      .describe(
        'Image to be deployed. Setting it provisions the host, changing it reprovisions, removing it deprovisions.',
      )
      .optional(),
    customDeploy: customDeploy
      .describe('Deploy step of a ramdisk of your own, with or without an image. Setting it provisions the host.')
      .optional(),
    userData: secretReference
      .describe('Secret with the user data for the config drive, read by cloud-init or Ignition at first boot.')
      .optional(),
    networkData: secretReference
      .describe('Secret with the network configuration for the config drive, read by cloud-init at first boot.')
      .optional(),
    metaData: secretReference
      .describe('Secret whose entries are added to the metadata of the config drive, which is made up without it too.')
      .optional(),
    preprovisioningNetworkDataName: z
      .string()
      .describe(
        'Secret in the namespace of the host with the network configuration of the ramdisk; goes onto the config drive too where networkData is left out.',
      )
      .optional(),
    rootDeviceHints: rootDeviceHints
      .describe('Which disk the image is written to: the first that agrees with every hint.')
      .optional(),
    raid: raid
      .describe(
        'RAID volumes to be built before an image is deployed; left alone when left out. Either in hardware or in software, not both.',
      )
      .optional(),
    automatedCleaningMode: z
      .enum(AUTOMATED_CLEANING_MODES)
      .describe(
        'Whether the partition tables of the disks are wiped before the host is offered and after it is given back.',
      )
      .default('metadata'),
    externallyProvisioned: z
      .boolean()
      .describe(
        'Says that something else has installed the host. It is then neither inspected nor cleaned nor deployed, only its power is managed.',
      )
      .optional(),
    consumerRef: objectReference
      .describe('Who uses the host. Set by the consumer; the host counts as taken while it is there.')
      .optional(),
    description: z.string().describe('Notes for people.').optional(),
    architecture: z
      .string()
      .describe('Architecture of the processor, for example x86_64 or aarch64. Filled in by inspection when left out.')
      .optional(),
    disablePowerOff: z
      .boolean()
      .describe('Never powers the host off: where that would be needed it is rebooted instead.')
      .optional(),
    inspectionMode: z
      .enum(INSPECTION_MODES)
      .describe(
        'How the hardware is found out: agent boots a ramdisk, fast asks the management controller without a boot, disabled skips it.',
      )
      .optional(),
    networkInterfaces: z
      .array(networkInterface)
      .describe('How the NICs are to be connected to the switches, by name or MAC address as inspection found them.')
      .optional(),
    hardwareProfile: z
      .string()
      .describe(
        'Deprecated: use rootDeviceHints and architecture. Names a set of defaults for the root disk; empty for none.',
      )
      .optional(),
    firmware: firmwareConfig.describe('Deprecated and without effect: use HostFirmwareSettings.').optional(),
    taints: z.array(taint).describe('Deprecated and without effect.').optional(),
  })
  .describe('What the host should be.');
