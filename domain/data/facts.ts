/** What of the objects of one machine is rendered; all of it plain JSON. */

export interface NamedFacts {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface HostInputs extends NamedFacts {
  readonly bootMACAddress?: string | undefined;
  /** As inspection found them; undefined before it. */
  readonly nics?: readonly { readonly name?: string | undefined; readonly mac?: string | undefined }[] | undefined;
}

export interface DataInputs {
  readonly metal3Machine: NamedFacts;
  readonly machine: NamedFacts;
  readonly host: HostInputs;
}

/** What a pool gave. */
export interface PoolAddress {
  readonly address: string;
  readonly prefix?: number | undefined;
  readonly gateway?: string | undefined;
  readonly dnsServers?: readonly string[] | undefined;
}

/** By the name of the pool. */
export type PoolAddresses = ReadonlyMap<string, PoolAddress>;

/** Why there is nothing to render, in upstream's words: users read them in `status.errorMessage`. */
export class DataProblem extends Error {
  override readonly name = 'DataProblem';
}

/** `object` is one of the words of the API, in any case. */
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

/** '' when there is no such annotation. */
export const annotationOf = ({ object, annotation }: AnnotationSource, facts: DataInputs): string =>
  objectNamed(object, facts).annotations[annotation] ?? '';

/** MAC address of the first NIC of this name. */
export function macOfNic(name: string, { nics }: HostInputs): string {
  if (nics === undefined) throw new DataProblem('NICs list not populated');
  const nic = nics.find((candidate) => (candidate.name ?? '') === name);
  if (nic === undefined) throw new DataProblem(`NIC name not found ${name}`);
  return nic.mac ?? '';
}
