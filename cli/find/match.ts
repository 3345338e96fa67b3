/** By what people know a host. */
export interface HostMarks {
  readonly name: string;
  readonly uid: string;
  readonly nodeId: string;
  readonly bmcAddress: string;
  readonly macs: readonly string[];
  readonly serialNumber: string;
  /** The name of its consumer; '' for none. */
  readonly consumer: string;
}

/** Which of its marks the text is; undefined: none. Upper and lower case are the same. */
export function markNamed(marks: HostMarks, text: string): string | undefined {
  const wanted = text.toLowerCase();
  const is = (mark: string): boolean => mark !== '' && mark.toLowerCase() === wanted;
  if (is(marks.name)) return 'its name';
  if (is(marks.uid)) return 'its uid';
  if (is(marks.nodeId)) return 'its node in Ironic';
  if (is(marks.serialNumber)) return 'its serial number';
  if (is(marks.consumer)) return 'its machine';
  const mac = marks.macs.find((each) => each !== '' && digitsOf(each) === digitsOf(wanted));
  if (mac !== undefined) return `the MAC address ${mac}`;
  return partsOf(marks.bmcAddress).some(is) ? `the BMC address ${marks.bmcAddress}` : undefined;
}

/** A MAC address is written with colons, hyphens, dots, or without any. */
const digitsOf = (mac: string): string => mac.toLowerCase().replaceAll(/[:.-]/g, '');

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:(?:\/\/)?)?(?:\[([^\]]*)\]|([^/:[\]]*))(:\d+)?(?:\/(?:.*\/)?([^/]*))?\/?$/i;

/** The address, its host with and without the port, and the end of its path, which names a system behind the BMC. */
function partsOf(address: string): readonly string[] {
  const [, bracketed, plain = '', port = '', system = ''] = ADDRESS.exec(address) ?? [];
  const host = bracketed ?? plain;
  return [address, host, `${bracketed === undefined ? host : `[${host}]`}${port}`, system];
}
