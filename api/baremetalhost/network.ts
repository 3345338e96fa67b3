import { z } from 'zod';
import { boundedText, wholeMacAddress } from '../meta/scalars.ts';

const hostNetworkAttachmentReference = z.object({
  name: boundedText({ maxLength: 253 }).describe('Name of the HostNetworkAttachment.').optional(),
  namespace: boundedText({ maxLength: 63 })
    .describe('Namespace of the HostNetworkAttachment; that of the host when left out.')
    .optional(),
});

const switchPort = z.object({
  switchID: wholeMacAddress().describe('Management MAC address of the switch.'),
  portID: z.string().describe('Name of the port in the switch configuration.'),
});

export const networkInterface = z
  .object({
    name: boundedText({ pattern: '^[a-zA-Z0-9._-]+$' })
      .describe('Name of the NIC as inspection reported it, for example eno1. Set either this or macAddress.')
      .optional(),
    macAddress: wholeMacAddress()
      .describe('MAC address of the NIC as inspection reported it. Set either this or name.')
      .optional(),
    hostNetworkAttachment: hostNetworkAttachmentReference
      .describe('The HostNetworkAttachment that configures the switch port.')
      .optional(),
    switchPort: switchPort
      .describe(
        'Switch port of the NIC, where LLDP does not report it. It overrides LLDP, so a wrong value reconfigures the wrong port.',
      )
      .optional(),
  })
  .describe('Network configuration of one NIC.');
