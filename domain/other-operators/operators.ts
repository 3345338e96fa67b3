/** The operators of Metal3 whose work Temper does, and what shows that one of them runs. */
export interface Operator {
  /** Its image has this name in every registry. */
  readonly name: string;
  /** The part of Temper that does the same work, by its name in `CONTROLLERS`. */
  readonly part: 'hosts' | 'machines' | 'addresses';
  /** The name of its Lease. Only baremetal-operator holds one by default. */
  readonly lease: string;
  /** The field manager of its writes. */
  readonly manager: string;
  /** The group of the kinds whose status it writes. */
  readonly group: string;
}

export const OPERATORS = [
  {
    name: 'baremetal-operator',
    part: 'hosts',
    lease: 'baremetal-operator',
    manager: 'baremetal-operator',
    group: 'metal3.io',
  },
  {
    name: 'cluster-api-provider-metal3',
    part: 'machines',
    lease: 'controller-leader-election-capm3',
    manager: 'cluster-api-provider-metal3-manager',
    group: 'infrastructure.cluster.x-k8s.io',
  },
  {
    name: 'ip-address-manager',
    part: 'addresses',
    lease: 'controller-leader-election-ipam-capm3',
    // The name of its program, and of many others: only in the status of its own kinds does it mean this operator.
    manager: 'manager',
    group: 'ipam.metal3.io',
  },
] as const satisfies readonly Operator[];

/** True when one of the images is that of the operator, in any registry. */
export const isImageOf = ({ name }: Operator, images: readonly string[]): boolean =>
  images.some((each) => nameOf(each) === name);

/** `quay.io/metal3-io/baremetal-operator:v0.12@sha256:…` without registry, tag and digest. */
const nameOf = (image: string): string => (image.split('/').at(-1) ?? '').split(/[:@]/)[0] ?? '';
