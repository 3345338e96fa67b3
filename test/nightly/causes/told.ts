import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { KINDS } from '../../../kube/kinds.ts';
import { hostInSight, objectInSight } from '../../../kube/objects/sight.ts';
import { causesOf, type Reader } from '../../e2e/support/reader.ts';
import { type Look, latenessOf } from './lateness.ts';

export interface Asked {
  readonly kind: 'host' | 'machine' | 'cluster';
  readonly name: string;
}

interface Told {
  /** The causes of the last reading, the most important first. */
  readonly causes: readonly string[];
  readonly seconds: number;
  /** How long the cause was missing after the usual time of the host's state, or after what the machine shows; ms. */
  readonly late: number;
}

/** Ironic gives up an agent that does not call after five minutes; it boots, and is taken down, before and after. */
const PATIENCE_MS = 1_000_000;
const LOOK_AGAIN_MS = 1_500;
/** After the usual time of a state. */
export const TOLD_WITHIN_MS = 5_000;

/** Asks until the cause is reported first, or patience is over. */
export async function toldOf(reader: Reader, cause: string, asked: Asked): Promise<Told> {
  const begun = Date.now();
  const lateness = latenessOf();
  for (;;) {
    const at = Date.now();
    const { causes, ...seen } = await lookAt(reader, asked);
    const isTold = causes[0] === cause;
    const late = lateness({ at, isTold, ...seen });
    const ms = Date.now() - begun;
    if (isTold || ms >= PATIENCE_MS) return { causes, late, seconds: Math.round(ms / 1_000) };
    await sleep(LOOK_AGAIN_MS);
  }
}

const written = z.object({
  kind: z.literal('BareMetalHost'),
  status: z.looseObject({ lastUpdated: z.iso.datetime() }),
});

/** Kinds of what is asked about that may be without a host. */
const WAITING: Readonly<Partial<Record<Asked['kind'], string>>> = {
  machine: KINDS.metal3Machine.kind,
  cluster: KINDS.cluster.kind,
};
const anyKind = z.looseObject({ kind: z.string() });

/** The reported causes, and the host, the machine or the Cluster that they are about. */
async function lookAt(
  reader: Reader,
  { kind, name }: Asked,
): Promise<Pick<Look, 'host' | 'waitsSince'> & { readonly causes: readonly string[] }> {
  let host: Look['host'];
  let waitsSince: number | undefined;
  const find: Reader['kube']['find'] = async (path, options) => {
    const object = await reader.kube.find(path, options);
    const { data } = written.safeParse(object);
    if (data !== undefined) host = hostThen(object, Date.parse(data.status.lastUpdated));
    if (WAITING[kind] !== undefined && anyKind.safeParse(object).data?.kind === WAITING[kind])
      waitsSince = waitsSinceIn(object);
    return object;
  };
  const causes = await causesOf({ ...reader, kube: { ...reader.kube, find } }, kind, name);
  return { causes, ...(host !== undefined && { host }), ...(waitsSince !== undefined && { waitsSince }) };
}

/** When the object was created, or one of its conditions last became False, whichever is later. */
function waitsSinceIn(object: unknown): number {
  const { creationTimestamp, conditions } = objectInSight('', object);
  const untrue = conditions.filter(({ status }) => status === 'False').map(({ since }) => since);
  return Math.max(...[creationTimestamp, ...untrue].map((at) => Date.parse(at)).filter((ms) => !Number.isNaN(ms)));
}

/** The reader may not read measured times, so the assumed ones count. */
function hostThen(object: unknown, writtenAt: number): NonNullable<Look['host']> {
  const { state, since, usual } = hostInSight(object, {}, []);
  return {
    state,
    writtenAt,
    ...(since !== undefined && { since }),
    ...(usual !== undefined && { usualMs: usual.usualMs }),
  };
}
