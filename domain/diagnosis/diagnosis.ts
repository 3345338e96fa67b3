import { BOUNDS } from '../bounds/bounds.ts';
import { GOES_ON } from './risks.ts';
import { nameOf, type SeenObject, type Sight, wordsOf } from './sight.ts';

/** A part of an object that shows the cause, in its own words. */
export interface Evidence {
  /** Such as `BareMetalHost metal/node-1`. */
  readonly object: string;
  /** Such as `status.errorMessage`. */
  readonly field: string;
  readonly words: string;
}

/** The finding of a row. `names` replace placeholders, in addition to the names of the objects. */
export interface Finding {
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly names?: Readonly<Record<string, string>>;
  /** Objects for each of which the commands with `{object}` are repeated, such as `cluster/prod`. */
  readonly objects?: readonly string[];
}

/** The kinds of objects for which causes are looked for. */
export type ObjectSubject = 'host' | 'machine' | 'machineApi' | 'cluster';
export type Subject = ObjectSubject | 'temporal';

/** A row of the table: what is seen leads to a cause and to the next thing to do. */
export interface Diagnosis {
  readonly id: string;
  readonly of: Subject;
  /** One sentence. */
  readonly cause: string;
  readonly see: (sight: Sight) => Finding | undefined;
  /** Set for rows that read an object's texts: the first of them that recognises a text decides. */
  readonly readsWords?: true;
  /** Nothing is tried again before something changes; without it, failures are tried again after a wait. */
  readonly waitsForChange?: true;
  /** What the advice may do to a server (deprovision, clean, reboot, power off …), in whole sentences. Told before it. */
  readonly risk?: string;
  /** People hold the object back with it. */
  readonly holds?: true;
  /** Also a cause while the object is being deleted: other rows help it to live on. */
  readonly whileDeleting?: true;
  /** The next thing to do, one sentence. */
  readonly next: string;
  /** Commands for that, ready to copy; `{host}` and the like are replaced, see `fill.ts`. */
  readonly commands: readonly string[];
}

type Told = Omit<Diagnosis, 'see' | 'readsWords' | 'of'> & { readonly of?: ObjectSubject; readonly says: RegExp };

/**
 * A row for what is said in an object's error, in its conditions, or in the answer to a request that is repeated: those
 * of a host, unless the row says of what.
 */
export const words = ({ says, of = 'host', ...told }: Told): Diagnosis => ({
  ...told,
  of,
  readsWords: true,
  see: (sight) => said(sight[of], says),
});

type Holding = Omit<Diagnosis, 'of' | 'holds' | 'whileDeleting' | 'risk'> & { readonly of?: ObjectSubject };

/** A row for what holds a host back, unless the row says what: also its deletion. */
export const holding = ({ of = 'host', ...told }: Holding): Diagnosis => ({
  ...told,
  of,
  holds: true,
  whileDeleting: true,
  risk: GOES_ON,
});

/** Each error of a deployment begins with it. It is not read: a file may be called `raid`. */
const IMAGE_AND_CHECKSUM = /Image provisioning failed \(url: .*?\)(: |$)/g;

/** Groups of the pattern are names; `node2` is another place of `node`. */
function said(object: SeenObject | undefined, says: RegExp): Finding | undefined {
  if (object === undefined) return undefined;
  for (const { field, words: text } of wordsOf(object)) {
    const match = says.exec(text.slice(0, BOUNDS.diagnosis.characters).replaceAll(IMAGE_AND_CHECKSUM, ''));
    if (match === null) continue;
    const names = Object.entries(match.groups ?? {}).flatMap(([name, value]) =>
      value ? [[name.replace(/\d+$/, ''), value] as const] : [],
    );
    return { evidence: [{ object: nameOf(object), field, words: text }], names: Object.fromEntries(names) };
  }
  return undefined;
}

/** The finding of a row: a condition of the object that is True. */
export function conditionTrue(object: SeenObject | undefined, wanted: string): Finding | undefined {
  const found = object?.conditions.find(({ type, status }) => type === wanted && status === 'True');
  return shows(object, `condition ${wanted}`, found && `${found.reason}: ${found.message}`);
}

/** The finding of a row: a field of an object with its text; undefined without a text. */
export const shows = (
  object: SeenObject | undefined,
  field: string,
  text: string | false | undefined,
): Finding | undefined =>
  object === undefined || text === undefined || text === false
    ? undefined
    : { evidence: [{ object: nameOf(object), field, words: text }] };
