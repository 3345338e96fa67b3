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
  /** How long the cause was missing after the usual time of the host's state, or after what the objects show; ms. */
  readonly late: number;
}

/** Ironic gives up an agent that does not call after five minutes; it boots, and is taken down, before and after. */
const PATIENCE_MS = 1_000_000;
const LOOK_AGAIN_MS = 1_500;
/** After the usual time of a state or, for what has none, after the objects show what the cause follows from. */
export const TOLD_WITHIN_MS = 5_000;

/** Asks until the cause is reported first, or patience is over. */
export async function toldOf(reader: Reader, cause: string, asked: Asked): Promise<Told> {
  const begun = Date.now();
  const lateness = latenessOf();
  for (;;) {
    const at = Date.now();
    const { causes, host, shownSince } = await lookAt(reader, asked);
    const isTold = causes[0] === cause;
    const late = lateness({ at, isTold, ...(host && { host }), shownSince: Math.max(begun, shownSince) });
    const ms = Date.now() - begun;
    if (isTold || ms >= PATIENCE_MS) return { causes, late, seconds: Math.round(ms / 1_000) };
    await sleep(LOOK_AGAIN_MS);
  }
}

const written = z.object({
  kind: z.literal('BareMetalHost'),
  status: z.looseObject({ lastUpdated: z.iso.datetime() }),
});

/** Kinds that show what they wait for, or that were created for what waits. */
const SHOWING: readonly unknown[] = [
  KINDS.host,
  KINDS.metal3Machine,
  KINDS.machine,
  KINDS.cluster,
  KINDS.dataClaim,
  KINDS.data,
].map(({ kind }) => kind);
const anyKind = z.looseObject({ kind: z.string() });

/** The reported causes, the host that was read, and when one of the objects last began to show what it waits for. */
async function lookAt(
  reader: Reader,
  { kind, name }: Asked,
): Promise<{ readonly causes: readonly string[]; readonly host: Look['host']; readonly shownSince: number }> {
  let host: Look['host'];
  let shownSince = 0;
  const find: Reader['kube']['find'] = async (path, options) => {
    const object = await reader.kube.find(path, options);
    const { data } = written.safeParse(object);
    if (data !== undefined) host = hostThen(object, Date.parse(data.status.lastUpdated));
    if (SHOWING.includes(anyKind.safeParse(object).data?.kind)) shownSince = Math.max(shownSince, showsSince(object));
    return object;
  };
  const causes = await causesOf({ ...reader, kube: { ...reader.kube, find } }, kind, name);
  return { causes, host, shownSince };
}

/** When the object was created, or one of its conditions last became False, whichever is later. */
function showsSince(object: unknown): number {
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
