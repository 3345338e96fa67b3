import { parseBmcAddress } from '../bmc/address.ts';

export interface Hardware {
  readonly manufacturer?: string | undefined;
  readonly productName?: string | undefined;
}

/** Longer names are cut: they come from the firmware of servers. */
const LONGEST = 64;

/**
 * The model of a host's hardware, by which times differ: manufacturer and product; before these are known, the type of
 * its BMC.
 */
export function modelOf({ manufacturer = '', productName = '' }: Hardware, bmcAddress: string): string {
  const said = `${manufacturer} ${productName}`.replaceAll(/[^\x21-\x7e]+/g, ' ').trim();
  if (said !== '') return said.slice(0, LONGEST);
  const parsed = parseBmcAddress(bmcAddress, { fakeHardware: true });
  return parsed.kind === 'ok' ? `unknown, ${parsed.address.type}` : 'unknown';
}
