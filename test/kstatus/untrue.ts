import { z } from 'zod';
import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { condition } from '../../api/meta/conditions.ts';
import { STEP_HELD } from '../../domain/entity/conditions.ts';
import { same } from '../../domain/same.ts';
import type { Version } from '../differential/watch-versions.ts';
import { kstatusOf } from './kstatus.ts';

/** What is not true of that which kstatus says of a host, at each write of its status. */

const PAUSED = 'baremetalhost.metal3.io/paused';

const host = z.object({
  metadata: z.object({ uid: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z
    .looseObject({
      online: z.boolean().default(false),
      externallyProvisioned: z.boolean().default(false),
      image: z.looseObject({ url: z.string().default('') }).optional(),
    })
    .default({ online: false, externallyProvisioned: false }),
  status: z
    .looseObject({
      errorType: z.string().optional(),
      operationalStatus: z.string(),
      poweredOn: z.boolean(),
      provisioning: z.looseObject({ state: z.string(), image: z.looseObject({ url: z.string() }).optional() }),
      conditions: z.array(condition).default([]),
    })
    .optional(),
});
type Host = z.infer<typeof host>;

/** A version of a host, read. `raw`: as the API server has it. */
interface Seen {
  readonly at: number;
  readonly host: Host;
  readonly raw: unknown;
}

/** What moves while the host is worked on. */
const progressOf = ({ status }: Host): unknown => [
  status?.provisioning.state,
  status?.provisioning.image?.url,
  status?.poweredOn,
];

/** What others write on a host. */
const desiredOf = ({ metadata: { uid, annotations }, spec }: Host): unknown => [
  uid,
  spec,
  Object.entries(annotations).filter(([key]) => !/^temper\/(operations|history|request|undeploying)$/.test(key)),
];

/** Of the hosts of a story, from their versions until nothing changed any more. `written`: as below. */
export function untrueIn(
  versions: readonly Version[],
  written: readonly { readonly at: number }[] = [],
): readonly string[] {
  const hosts = versions.filter(({ kind }) => kind === 'BareMetalHost');
  const last = new Map(hosts.map(({ name, object }) => [name, object]));
  const steps = written.map(({ at }) => at);
  return [
    ...currentTooEarly(hosts, steps),
    ...[...last].flatMap(([name, object]) =>
      object === undefined ? [] : untrueAtRest(object).map((what) => `${name}: ${what}`),
    ),
  ];
}

/**
 * `Current` although the host went on by itself afterwards, before anybody changed anything. `written`: further
 * versions at which others wrote, such as to a Secret.
 */
function currentTooEarly(versions: readonly Version[], written: readonly number[]): readonly string[] {
  return seenIn(versions).flatMap((all) =>
    all.flatMap((now, index) => {
      const isOfStatus = !same(now.host.status, all[index - 1]?.host.status);
      if (!isOfStatus || kstatusOf(now.raw) !== 'Current') return [];
      const changed = all.slice(index + 1).find((later) => !same(desiredOf(later.host), desiredOf(now.host)))?.at;
      const until = Math.min(changed ?? Infinity, ...written.filter((at) => at > now.at));
      const moved = all.find(
        ({ at, host: later }) => at > now.at && at < until && !same(progressOf(later), progressOf(now.host)),
      );
      if (moved === undefined) return [];
      return [
        `Current at ${now.at} as ${JSON.stringify(progressOf(now.host))}, then ${JSON.stringify(progressOf(moved.host))}`,
      ];
    }),
  );
}

/** Hosts at rest that are InProgress, as upstream's are; with the reason. */
const AS_UPSTREAM: readonly (readonly [string, (host: Host) => boolean])[] = [
  ['no status was written yet: Current, whatever the host asks for', ({ status }) => status === undefined],
  ['a paused host says what it last said', ({ metadata }) => PAUSED in metadata.annotations],
  ['a detached host is not ready', ({ status }) => status?.operationalStatus === 'detached'],
  ['a host without BMC details is not ready', ({ status }) => status?.provisioning.state === 'unmanaged'],
  [
    'an available host without an image, or that is not online, is not ready',
    ({ status }) => status?.provisioning.state === 'available',
  ],
];

/** What the host would change, and holds for a person, a window or a budget. */
function heldWork({ metadata: { annotations }, spec, status }: Host): readonly string[] {
  const { quarantine, abort } = STEERING_ANNOTATIONS;
  const isHeld =
    quarantine in annotations ||
    abort in annotations ||
    status?.conditions.some((each) => each.type === STEP_HELD && each.status === 'True') === true;
  if (!isHeld || status === undefined) return [];
  const isOther = !spec.externallyProvisioned && (spec.image?.url ?? '') !== (status.provisioning.image?.url ?? '');
  return [...(isOther ? ['another image'] : []), ...(spec.online === status.poweredOn ? [] : ['another power'])];
}

/** What is not true of a host that nothing changes any more. */
function untrueAtRest(object: unknown): readonly string[] {
  const { status, ...rest } = host.parse(object);
  const said = kstatusOf(object);
  if (said === 'Terminating') return [];
  const isTrue = (type: string): boolean =>
    status?.conditions.some((each) => each.type === type && each.status === 'True') === true;
  const both = isTrue('Reconciling') && isTrue('Stalled') ? ['Reconciling and Stalled'] : [];
  if (status?.errorType !== undefined) return said === 'Current' ? [...both, `Current with ${status.errorType}`] : both;
  const isListed = AS_UPSTREAM.some(([, is]) => is({ status, ...rest }));
  const held = heldWork({ status, ...rest });
  if (!isListed && held.length > 0)
    return said === 'Current' ? [...both, ...held.map((what) => `Current while it holds ${what}`)] : both;
  const isPaused = PAUSED in rest.metadata.annotations;
  const reconciles = isListed && !isPaused && isTrue('Reconciling') ? ['Reconciling at rest'] : [];
  return isListed || said === 'Current' ? [...both, ...reconciles] : [...both, `${said} at rest`];
}

/** The versions of each name, in their order. */
function seenIn(versions: readonly Version[]): readonly (readonly Seen[])[] {
  return [...Map.groupBy(versions, ({ name }) => name).values()].map((all) =>
    all.flatMap(({ at, object }) => (object === undefined ? [] : [{ at, host: host.parse(object), raw: object }])),
  );
}
