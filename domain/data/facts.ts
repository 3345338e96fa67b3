/** The inputs for rendering the data of one machine; plain JSON. */

export interface NamedFacts {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface HostInputs extends NamedFacts {
  readonly bootMACAddress?: string | undefined;
  /** As inspection reported them; undefined before inspection. */
  readonly nics?: readonly { readonly name?: string | undefined; readonly mac?: string | undefined }[] | undefined;
  /** The same by name, for as long as one rendering takes. */
  readonly macs?: ReadonlyMap<string, string>;
}

export interface DataInputs {
  readonly metal3Machine: NamedFacts;
  readonly machine: NamedFacts;
  readonly host: HostInputs;
}

/** An address that a pool allocated. */
export interface PoolAddress {
  readonly address: string;
  readonly prefix?: number | undefined;
  readonly gateway?: string | undefined;
  readonly dnsServers?: readonly string[] | undefined;
}

/** Addresses by the name of their pool. */
export type PoolAddresses = ReadonlyMap<string, PoolAddress>;

/** Why the data cannot be rendered, in upstream's words: users read it in `status.errorMessage`. */
export class DataProblem extends Error {
  override readonly name = 'DataProblem';
}

/** `object` is one of the names in the API, in upper or lower case. */
export function objectNamed(object: string, { metal3Machine, machine, host }: DataInputs): NamedFacts {
  switch (object.toLowerCase()) {
    case 'metal3machine':
      return metal3Machine;
    case 'machine':
      return machine;
    case 'baremetalhost':
      return host;
    default:
      throw new DataProblem('unknown object type');
  }
}

export interface AnnotationSource {
  readonly object: string;
  readonly annotation: string;
}

/** '' when the annotation is missing. */
export const annotationOf = ({ object, annotation }: AnnotationSource, facts: DataInputs): string =>
  objectNamed(object, facts).annotations[annotation] ?? '';

/** MAC address of the first NIC with this name. */
export function macOfNic(name: string, { nics, macs }: HostInputs): string {
  if (nics === undefined) throw new DataProblem('NICs list not populated');
  const mac = (macs ?? macsOf(nics)).get(name);
  if (mac === undefined) throw new DataProblem(`NIC name not found ${name}`);
  return mac;
}

/** MAC addresses by the names of NICs: a template may ask for thousands, of a machine that has thousands. */
export const macsOf = (nics: NonNullable<HostInputs['nics']> = []): ReadonlyMap<string, string> =>
  new Map(nics.map(({ name = '', mac = '' }) => [name, mac] as const).toReversed());
