import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { quote } from '../go/quote.ts';

type NetworkInterface = NonNullable<BareMetalHostSpec['networkInterfaces']>[number];

/** Each interface is picked by its name or its MAC address, and by one entry alone. */
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
      ? [`${at}duplicate interface selector for ${quote(macAddress || name)}`]
      : [];
  });
}
