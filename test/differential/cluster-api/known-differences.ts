import { isObject, type Json } from '../../../kube/merge-patch.ts';
import { changed, type KnownDifference } from '../differences.ts';
import { field } from '../watch-versions.ts';
import type { Account } from './account.ts';
import { mapValues, NO_HOST } from './compare.ts';
import { DIFFERENCES_OF_CAPM3 } from './differences-of-capm3.ts';
import { DIFFERENCES_OF_IPAM } from './differences-of-ipam.ts';
import type { Operator } from './story.ts';

/** A text that is different in every story, with the row that explains it. */
interface OtherWords {
  readonly row: string;
  readonly upstream: RegExp;
  readonly temper: string;
}

/** An object that is different in every story. */
interface OtherObject {
  readonly row: string;
  /** The object as Temper has it; the same object where there is no difference. */
  readonly temper: (kind: string, object: Json) => Json;
}

export const OTHER_WORDS: readonly OtherWords[] = [
  { row: 'm3-C70', upstream: /\. Object will be requeued after 30s/g, temper: '' },
  { row: 'm3-C70', upstream: /requeuing, could not find node/g, temper: 'could not find node' },
  { row: 'm3-C70', upstream: /error retrieving node, requeuing/g, temper: 'error retrieving node' },
  {
    row: 'm3-C76',
    upstream:
      /operator: Unsupported value: "near": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"/g,
    temper:
      'operator: Unsupported value: "near": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!", "doesnotexist"',
  },
  {
    row: 'm3-C83',
    upstream: /unsupported providerID format: %!w\(<nil>\)/g,
    temper: 'unsupported providerID format: <namespace>.n-1 has other://<namespace>',
  },
  { row: 'm3-C71', upstream: /no available host found\. Requeuing/g, temper: NO_HOST },
];

const hasAddress = (claim: Json): boolean =>
  field(claim, 'status', 'address') !== undefined || field(claim, 'status', 'addressRef') !== undefined;

const isOfMetal3 = (claim: Json): boolean => field(claim, 'spec', 'poolRef', 'apiGroup') === 'ipam.metal3.io';

const CLAIM_FINALIZERS = ['ipclaim.ipam.metal3.io', 'ipam.metal3.io/ipaddressclaim'];

export const OTHER_OBJECTS: readonly OtherObject[] = [
  {
    row: 'ip-C9',
    temper: (kind, claim) =>
      kind === 'IPAddressClaim' && isOfMetal3(claim) && hasAddress(claim) && isObject(claim['status'])
        ? { ...claim, status: { ...claim['status'], conditions: { Ready: 'True Allocated' } } }
        : claim,
  },
  {
    row: 'ip-C11',
    temper: (kind, claim) =>
      (kind === 'IPClaim' || kind === 'IPAddressClaim') && !hasAddress(claim)
        ? without(claim, CLAIM_FINALIZERS)
        : claim,
  },
  {
    row: 'm3-C38',
    temper: (kind, data) => {
      if (kind !== 'Metal3Data') return data;
      const { labels, ...metadata } = data['metadata'] as Json;
      const kept = Object.entries((labels ?? {}) as Json).filter(([label]) => !OF_CLAIMS.includes(label));
      return { ...data, metadata: { ...metadata, ...(kept.length > 0 && { labels: Object.fromEntries(kept) }) } };
    },
  },
  {
    row: 'm3-C86',
    temper: (kind, host) => {
      if (kind !== 'BareMetalHost' || isTaken(host)) return host;
      const { metaData: _, networkData: __, ...spec } = host['spec'] as Json;
      return { ...host, spec };
    },
  },
  {
    row: 'm3-C87',
    temper: (kind, host) => {
      if (kind !== 'BareMetalHost' || isTaken(host)) return host;
      const { annotations, ...metadata } = host['metadata'] as Json;
      const { [BLOCK_MOVE]: _, ...kept } = (annotations ?? {}) as Json;
      return { ...host, metadata: { ...metadata, ...(Object.keys(kept).length > 0 && { annotations: kept }) } };
    },
  },
];

/** Labels of IPClaims that are named after hosts. */
const OF_CLAIMS = ['data-name', 'pool-name'].map((name) => `infrastructure.cluster.x-k8s.io/${name}`);
const BLOCK_MOVE = 'clusterctl.cluster.x-k8s.io/block-move';
const isTaken = (host: Json): boolean => field(host, 'spec', 'consumerRef', 'kind') === 'Metal3Machine';

function without({ metadata, ...rest }: Json, finalizers: readonly string[]): Json {
  const { finalizers: all, ...others } = metadata as Json;
  const kept = Array.isArray(all) ? all.filter((each) => !finalizers.includes(String(each))) : [];
  return { ...rest, metadata: { ...others, ...(kept.length > 0 && { finalizers: kept }) } };
}

const KNOWN: Readonly<Record<Operator, readonly KnownDifference[]>> = {
  'ip-address-manager': DIFFERENCES_OF_IPAM,
  'cluster-api-provider-metal3': DIFFERENCES_OF_CAPM3,
};

export const knownDifferences = (operator: Operator): readonly KnownDifference[] => KNOWN[operator];

/** Upstream's account with our intended differences applied. */
export const asTemper = (account: Account, operator: Operator, story: string): Account =>
  changed(
    inOtherWords(inOtherObjects(account)) as Account,
    KNOWN[operator].filter(({ stories }) => stories.includes(story)).flatMap(({ changes }) => changes),
  );

const inOtherObjects = ({ refused, rests }: Account): Account => ({
  refused,
  rests: mapValues(rests, (objects) =>
    mapValues(objects, (object, key) =>
      OTHER_OBJECTS.reduce((before, { temper }) => temper(key.split(' ')[0] ?? '', before), object),
    ),
  ),
});

function inOtherWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOtherWords);
  if (isObject(value)) return mapValues(value, inOtherWords);
  if (typeof value !== 'string') return value;
  return OTHER_WORDS.reduce((text, { upstream, temper }) => text.replace(upstream, temper), value);
}
