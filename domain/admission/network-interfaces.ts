import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';

type NetworkInterface = NonNullable<BareMetalHostSpec['networkInterfaces']>[number];

/** Each entry selects its interface by name or MAC address, and no two entries select the same one. */
export function interfaceProblems(interfaces: readonly NetworkInterface[]): readonly string[] {
  const chosen = new Set<string>();
  return interfaces.flatMap(({ name = '', macAddress = '' }, index) => {
    const at = `networkInterfaces[${index}]: `;
    if (name !== '' && macAddress !== '') return [`${at}name and macAddress are mutually exclusive`];
    const selector = (name || macAddress).toLowerCase();
    if (selector === '') return [`${at}must specify either name or macAddress`];
    if (chosen.has(selector)) return [`${at}duplicate interface selector for ${JSON.stringify(macAddress || name)}`];
    chosen.add(selector);
    return [];
  });
}
