import type { Convertible } from '../../../domain/conversion/convertible.ts';
import { convertTo } from '../../../domain/convert.ts';
import type { Json } from '../../../kube/merge-patch.ts';
import { patched } from '../recordings.ts';
import { apiOf, type StoryKind } from './kinds.ts';
import type { Write } from './steps.ts';
import type { Story } from './story.ts';

/** The kinds of Metal3's machines in their older version, as clients write them that know no other. */

const GROUP = 'infrastructure.cluster.x-k8s.io';
const [OLDER, STORED] = [`${GROUP}/v1beta1`, `${GROUP}/v1beta2`];
/** What the older version can't express, as the API server's conversion has written it. */
const CONVERSION_DATA = 'cluster.x-k8s.io/conversion-data';

export const hasOlder = (kind: StoryKind): boolean => apiOf(kind).apiVersion === STORED;

/**
 * Stories whose objects are stored in another form, or refused with other words, when they are written in the older
 * version. Upstream then has other answers, which were not recorded.
 */
export const OTHERWISE_IN_OLDER: readonly string[] = [
  // The schema of the older version refuses less.
  'clusters that are refused',
  'templates of remediations get defaults',
  // A control plane of false is left out.
  'a cluster shows its failure domains, also when they change',
  // Without a checksum, which the older version requires: an empty one is stored.
  'machines that are refused',
  'a machine boots a live image',
  // A null in the older version does not remove an image.
  'a machine is deployed by a method of its own',
  // A zero is the same as nothing.
  'remediations that are refused',
  'data and their claims keep their fields',
  'data of a machine have addresses of a pool',
];

/** The older version requires a name of a Cluster, with which upstream would answer otherwise. */
const isWithoutCluster = (order: Write): boolean =>
  'create' in order && order.create.kind === 'Metal3DataTemplate' && order.spec?.['clusterName'] === undefined;

/** A story in which objects are written that have an older version, and are stored as the same. */
export function isToldInOlder({ story, steps }: Story): boolean {
  const writes = steps.flatMap((each) => each ?? []);
  const kindOf = (each: Write): StoryKind =>
    ('create' in each ? each.create : 'change' in each ? each.change : each.delete).kind;
  const isSame = !OTHERWISE_IN_OLDER.includes(story) && !writes.some(isWithoutCluster);
  return isSame && writes.some((each) => hasOlder(kindOf(each)));
}

export const olderPath = (path: string): string => path.replace(`/apis/${STORED}/`, `/apis/${OLDER}/`);

/** An object that a client has made itself. */
export const asOlder = (stored: Json): Json => withConversionData(convertTo(OLDER, stored as unknown as Convertible));

/** An object that a client has read in the older version, after a merge patch of the stored one. */
export function changedAsOlder(read: Json, change: Json): Json {
  const object = read as unknown as Convertible;
  const changed = patched(convertTo(STORED, object) as unknown as Json, change);
  const data = object.metadata?.annotations?.[CONVERSION_DATA];
  return withConversionData(convertTo(OLDER, changed as unknown as Convertible), data);
}

/** No client writes this annotation itself. */
function withConversionData({ metadata = {}, ...rest }: Convertible, data?: string): Json {
  const { [CONVERSION_DATA]: _, ...annotations } = metadata.annotations ?? {};
  const all = { ...annotations, ...(data !== undefined && { [CONVERSION_DATA]: data }) };
  return { ...rest, metadata: { ...metadata, annotations: all } };
}
