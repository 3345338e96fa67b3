import { z } from 'zod';
import { lenientText, lenientTexts, maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { boundedJson } from '../../domain/bounds/json.ts';
import { defined } from '../../domain/defined.ts';
import { BACKUP_ANNOTATIONS } from '../../domain/remediation/names.ts';
import type { NodeTexts } from '../../domain/remediation/sick-node.ts';
import type { RemediationSnapshot } from '../../domain/remediation/snapshot.ts';
import { byName } from '../by-name.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import type { Index } from '../store.ts';
import { type Metadata, metadata, ownerOf } from './metadata.ts';

const count = maybe(z.number().int().min(0));
const remediation = z.object({
  metadata,
  spec: orEmpty({
    strategy: maybe(z.object({ type: maybeText, retryLimit: count, timeoutSeconds: count })),
  }),
  status: orEmpty({
    phase: maybe(z.enum(['Running', 'Waiting', 'Deleting machine', 'Failed'])),
    retryCount: count,
    lastRemediated: lenientText,
  }),
});

export interface RemediationRead {
  readonly metadata: Metadata;
  readonly strategy: RemediationSnapshot['strategy'];
  readonly status: RemediationSnapshot['status'];
  /** Name of the Machine that owns it. */
  readonly machine: string | undefined;
  /** The Machine is one of the Machine API. */
  readonly isOfMachineApi: boolean;
}

export const readRemediation = once((object): RemediationRead => {
  const { metadata, spec, status } = remediation.parse(object);
  const { phase, retryCount, lastRemediated } = status;
  const own = ownerOf(metadata, { kind: 'Machine', apiVersion: KINDS.openShiftMachine.apiVersion });
  const machine = ownerOf(metadata, KINDS.machine) ?? own;
  return {
    metadata,
    strategy: spec.strategy && defined(spec.strategy),
    status: { ...defined({ phase, retryCount }), ...(lastRemediated !== '' && { lastRemediated }) },
    machine: machine?.name,
    isOfMachineApi: machine !== undefined && machine === own,
  };
});

export const hasBackup = ({ metadata }: RemediationRead): boolean =>
  Object.values(BACKUP_ANNOTATIONS).some((key) => key in metadata.annotations);

/** The stored labels and annotations of the Node. Users can change them, so values that are no texts are left out. */
export function storedTexts(from: { readonly metadata: Pick<Metadata, 'annotations'> }): Partial<NodeTexts> {
  const { annotations } = from.metadata;
  const [labels, others] = [BACKUP_ANNOTATIONS.labels, BACKUP_ANNOTATIONS.annotations].map((key) =>
    parsed(annotations[key]),
  );
  return { ...(labels && { labels }), ...(others && { annotations: others }) };
}

function parsed(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  try {
    return lenientTexts.parse(boundedJson(text, BOUNDS.annotation));
  } catch {
    return undefined;
  }
}

/** Metal3Remediations by the Machine of Cluster API, or of the Machine API, that owns them. */
const remediationsBy = (ofMachineApi: boolean): Index =>
  byName(KINDS.remediation, ({ object }) => {
    const { machine, isOfMachineApi } = readRemediation(object);
    return isOfMachineApi === ofMachineApi ? machine : undefined;
  });
export const remediationsByMachine = remediationsBy(false);
export const remediationsByOwnMachine = remediationsBy(true);
