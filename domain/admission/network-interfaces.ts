import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';

type NetworkInterface = NonNullable<BareMetalHostSpec['networkInterfaces']>[number];

/** Each entry selects its interface by name or MAC address, and no two entries select the same one. */
export function interfaceProblems(interfaces: readonly NetworkInterface[]): readonly string[] {
  const chosen = interfaces.map(({ name = '', macAddress = '' }) =>
    name !== '' && macAddress !== '' ? undefined : (name || macAddress).toLowerCase(),
  );
  return interfaces.flatMap(({ name = '', macAddress = '' }, index) => {
    const at = `networkInterfaces[${index}]: `;
    const selector = chosen[index];
    if (selector === undefined) return [`${at}name and macAddress are mutually exclusive`];
    if (selector === '') return [`${at}must specify either name or macAddress`];
    return chosen.indexOf(selector) < index
      ? [`${at}duplicate interface selector for ${JSON.stringify(macAddress || name)}`]
      : [];
  });
}
