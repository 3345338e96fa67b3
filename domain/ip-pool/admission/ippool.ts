import type { IpPool } from '../../../api/ipam/schema.ts';
import { type FieldProblem, invalid } from '../../admission/field-problem.ts';
import type { Defaults, Judged, Rules } from '../../admission/rules.ts';
import { table } from '../../message/shape.ts';
import { addressText, parseAddress, parseSubnet } from '../address.ts';
import { type PoolEntry, permittedBy } from '../ranges.ts';
import { addressSet } from '../taken.ts';
import { addressProblems } from './ip-text.ts';

/** A spec as it was written, before the API server has added defaults. */
export type IpPoolSpecGiven = Partial<IpPool['spec']>;

const DEFAULT_STRATEGY = 'sequential';

export const ipPoolRules: Rules<Judged<IpPoolSpecGiven>> = {
  created: ({ spec }) => [
    ...specProblems(spec),
    // The typing error is upstream's.
    ...outside(spec, Object.values(spec.preAllocations ?? {})).map((address) =>
      invalid('spec.preAllocations', address, 'is out of bonds of the pools given'),
    ),
  ],
  changed: ({ spec: before, status }, { spec }) => [
    ...(spec.namePrefix === before.namePrefix
      ? []
      : [invalid('spec.namePrefix', spec.namePrefix, 'cannot be modified')]),
    ...(strategyOf(spec) === strategyOf(before)
      ? []
      : [invalid('spec.allocationStrategy', spec.allocationStrategy, 'cannot be modified after creation')]),
    ...specProblems(spec),
    ...outside(spec, Object.values(spec.preAllocations ?? {})).map((address) =>
      invalid('spec.preAllocations', address, 'is out of bounds of the pools given'),
    ),
    ...outside(spec, addressesIn(status)).map((address) =>
      invalid('spec.pools', address, 'is in use but out of bounds of the pools given'),
    ),
  ],
};

/** The addresses in the pool's status. */
function addressesIn({ indexes }: Judged<unknown>['status']): readonly string[] {
  const addresses = isFields(indexes) ? Object.values(indexes) : [];
  return addresses.filter((address) => typeof address === 'string');
}

type Fields = Readonly<Record<string, unknown>>;

/** An empty strategy is the default one: the CRD knows no empty one. Other fields are left out when they are empty. */
export const ipPoolDefaults: Defaults<Fields> = {
  given: table,
  complete(spec) {
    const { pools, ...rest } = withoutEmpty(spec);
    return {
      ...rest,
      ...(Array.isArray(pools) && {
        pools: pools.map((entry: unknown) => (isFields(entry) ? withoutEmpty(entry) : entry)),
      }),
      allocationStrategy: spec['allocationStrategy'] || DEFAULT_STRATEGY,
    };
  },
};

/** What upstream's webhook removes from a pool and its entries when it is empty. */
const OMITTED = ['pools', 'preAllocations', 'dnsServers', 'prefix'];

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isEmpty = (value: unknown): boolean => value === 0 || (isFields(value) && Object.keys(value).length === 0);

const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null && !(OMITTED.includes(name) && isEmpty(value))),
  );

const strategyOf = ({ allocationStrategy }: IpPoolSpecGiven): string => allocationStrategy || DEFAULT_STRATEGY;

/** The addresses that no entry permits. Each entry is read once, however many addresses there are. */
function outside({ pools = [] }: IpPoolSpecGiven, addresses: readonly string[]): readonly string[] {
  const permitted = addressSet(pools.flatMap((entry) => permittedBy(entry) ?? []));
  return addresses.filter((text) => {
    const address = parseAddress(text);
    return address === undefined || !permitted.has(address);
  });
}

const specProblems = (spec: IpPoolSpecGiven): readonly FieldProblem[] => [
  ...addressProblems('spec.gateway', spec.gateway),
  ...serverProblems('spec', spec.dnsServers),
  ...preAllocationProblems(spec.preAllocations ?? {}),
  ...(spec.pools ?? []).flatMap((entry, index) => entryProblems(entry, `spec.pools[${index}]`, strategyOf(spec))),
];

const serverProblems = (path: string, servers: readonly string[] = []): readonly FieldProblem[] =>
  servers.flatMap((server, index) => addressProblems(`${path}.dnsServers[${index}]`, server));

function preAllocationProblems(preAllocations: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const claims = new Map<bigint, string>();
  return Object.entries(preAllocations).flatMap(([claim, text]) => {
    const field = `spec.preAllocations.${claim}`;
    const address = parseAddress(text);
    if (address === undefined) return addressProblems(field, text);
    const other = claims.get(address);
    if (other === undefined) claims.set(address, claim);
    return other === undefined
      ? []
      : [invalid(field, text, `IP address is already pre-allocated to claim ${JSON.stringify(other)}`)];
  });
}

function entryProblems(entry: PoolEntry, path: string, strategy: string): readonly FieldProblem[] {
  const { start, end, subnet, gateway, dnsServers } = entry;
  if (start === undefined && end === undefined && subnet === undefined)
    return [invalid(path, '', 'pool entry must specify at least one of start, end, or subnet')];
  const range = problemOfRange(entry);
  const problems = [
    ...(range === undefined ? [] : [invalid(path, '', range)]),
    ...addressProblems(`${path}.gateway`, gateway),
    ...serverProblems(path, dnsServers),
  ];
  const random = strategy === 'random' && problems.length === 0 ? problemOfRandom(entry) : undefined;
  return random === undefined
    ? problems
    : [invalid(path, '', `cannot be used with allocationStrategy "random": ${random}`)];
}

/** The largest number of Go's type `int`. */
const MOST_INDEXES = 2n ** 63n - 1n;

/** Why an entry of `spec.pools` is no range; undefined when it is one, also one without an end. */
function problemOfRange({ start, end, subnet }: PoolEntry): string | undefined {
  const [first, last] = [start, end].map((text) => (text === undefined ? undefined : parseAddress(text)));
  if (start !== undefined && first === undefined) return `invalid Start IP ${JSON.stringify(start)}`;
  if (end !== undefined && last === undefined) return `invalid End IP ${JSON.stringify(end)}`;
  if (subnet !== undefined && parseSubnet(subnet) === undefined)
    return `invalid Subnet ${JSON.stringify(subnet)}: invalid CIDR address: ${subnet}`;
  const isReversed = first !== undefined && last !== undefined && first > last;
  return isReversed ? `end IP ${end ?? ''} is before start IP ${start ?? ''}` : undefined;
}

/** Why addresses of an entry cannot be chosen at random; undefined when they can. The entry must be a range. */
function problemOfRandom({ start, end, subnet }: PoolEntry): string | undefined {
  const net = subnet === undefined ? undefined : parseSubnet(subnet);
  if (start === undefined) {
    if (net === undefined) return 'either Start or Subnet is required for ipAddress';
    return net.last - net.first > MOST_INDEXES ? TOO_LARGE : undefined;
  }
  const first = parseAddress(start) ?? 0n;
  const last = end === undefined ? net?.last : parseAddress(end);
  if (last === undefined) return 'pool with Start requires End or Subnet to determine size';
  if (first > last) return `end IP ${end ?? addressText(last)} is before start IP ${start}`;
  return last - first + 1n > MOST_INDEXES ? TOO_LARGE : undefined;
}

const TOO_LARGE = 'pool size exceeds int range';
