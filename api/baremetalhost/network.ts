import { z } from 'zod';
import { text, wholeMacAddress } from '../meta/scalars.ts';

const hostNetworkAttachmentReference = z.object({
  name: text({ maxLength: 253 }).describe('Name of the HostNetworkAttachment.').optional(),
  namespace: text({ maxLength: 63 })
    .describe('Namespace of the HostNetworkAttachment; that of the host when left out.')
    .optional(),
});

const switchPort = z.object({
  switchID: wholeMacAddress().describe('Management MAC address of the switch.'),
  portID: z.string().describe('Name of the port in the configuration of the switch.'),
});

export const networkInterface = z
  .object({
    name: text({ pattern: '^[a-zA-Z0-9._-]+$' })
      .describe('Name of the NIC as inspection found it, for example eno1. Give either this or macAddress.')
      .optional(),
    macAddress: wholeMacAddress()
      .describe('MAC address of the NIC as inspection found it. Give either this or name.')
      .optional(),
    hostNetworkAttachment: hostNetworkAttachmentReference
      .describe('The HostNetworkAttachment that says how the switch port is to be set up.')
      .optional(),
    switchPort: switchPort
      .describe(
        'Switch port the NIC is plugged into, where LLDP does not tell. Goes before what LLDP says, so a mistake here reconfigures the wrong port.',
      )
      .optional(),
  })
  .describe('How one NIC is to be connected.');
