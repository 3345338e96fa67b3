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
export const markNamed = (marks: HostMarks, text: string): string | undefined =>
  uniqueMarkNamed(marks, text) ?? sharedMarkNamed(marks, text);

/** The same for marks that one host alone has. */
export function uniqueMarkNamed(marks: HostMarks, text: string): string | undefined {
  if (isSame(marks.uid, text)) return 'its uid';
  if (isSame(marks.nodeId, text)) return 'its node in Ironic';
  if (isSame(marks.serialNumber, text)) return 'its serial number';
  const mac = marks.macs.find((each) => each !== '' && digitsOf(each) === digitsOf(text));
  return mac && `the MAC address ${mac}`;
}

/** Other hosts, and machines, may have the same. */
function sharedMarkNamed({ name, consumer, bmcAddress }: HostMarks, text: string): string | undefined {
  if (isSame(name, text)) return 'its name';
  if (isSame(consumer, text)) return 'its machine';
  return partsOf(bmcAddress).some((part) => isSame(part, text)) ? `the BMC address ${bmcAddress}` : undefined;
}

const isSame = (mark: string, text: string): boolean => mark !== '' && mark.toLowerCase() === text.toLowerCase();

/** A MAC address is written with colons, hyphens, dots, or without any. */
const digitsOf = (mac: string): string => mac.toLowerCase().replaceAll(/[:.-]/g, '');

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:(?:\/\/)?)?(?:\[([^\]]*)\]|([^/:[\]]*))(:\d+)?(?:\/(?:.*\/)?([^/]*))?\/?$/i;

/** The address, its host with and without the port, and the end of its path, which names a system behind the BMC. */
function partsOf(address: string): readonly string[] {
  const [, bracketed, plain = '', port = '', system = ''] = ADDRESS.exec(address) ?? [];
  const host = bracketed ?? plain;
  return [address, host, `${bracketed === undefined ? host : `[${host}]`}${port}`, system];
}
