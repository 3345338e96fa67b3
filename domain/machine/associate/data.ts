import type { SecretReference } from '../../../api/baremetalhost/types.ts';
import { type MachineMemory, withConditions, withRecord } from '../memory/memory.ts';
import {
  attempt,
  type Complaint,
  complain,
  dataComplaint,
  is,
  isNot,
  legacyIs,
  legacyIsNot,
  type Pass,
  waitPass,
} from '../memory/pass.ts';

type SecretField = 'userData' | 'metaData' | 'networkData';

/** The error of a reference to a Secret of another namespace; undefined when there is none. */
export function crossNamespace({ seen }: MachineMemory, field: SecretField): string | undefined {
  const namespace = seen.spec[field]?.namespace;
  if (namespace === undefined || namespace === '' || namespace === seen.namespace) return undefined;
  return (
    `cross-namespace secret reference is not allowed for ${field} ` +
    `(namespace "${namespace}" does not match "${seen.namespace}")`
  );
}

/**
 * Decides once which Secret has the user data: that of the bootstrap provider takes precedence over the one in the
 * spec. The Secret itself is never read here.
 */
export function withUserData(memory: MachineMemory): MachineMemory {
  const { seen, record } = memory;
  if (record.userData !== undefined || !seen.owner || crossNamespace(memory, 'userData') !== undefined) return memory;
  const { dataSecretName, configRef, namespace } = seen.owner;
  const name = dataSecretName ?? configRef;
  const userData = name === undefined ? seen.spec.userData : { name, namespace };
  return userData === undefined ? memory : withRecord(memory, { userData });
}

const associationFailed = dataComplaint(
  'AssociateMetal3MachineMetaDataFailed',
  'Failed to get the Metal3Metadata',
  'AssociateM3MetaDataFailed',
);

/** Takes over the Secrets that the user names; creates a data claim for a template. Undecided: continue. */
export function associateData(memory: MachineMemory, now: number): Pass | MachineMemory {
  const { seen } = memory;
  const problem = crossNamespace(memory, 'metaData') ?? crossNamespace(memory, 'networkData');
  if (problem !== undefined) return waitPass(complain(memory, associationFailed, problem), problem);
  const { dataTemplate } = seen.spec;
  const named = withNamedData(memory);
  if (named.record.renderedData !== undefined || dataTemplate?.name === undefined) return named;
  const template = { name: dataTemplate.name, namespace: dataTemplate.namespace ?? seen.namespace };
  const filled = withRecord(named, {
    spec: { ...named.record.spec, ...(dataTemplate.namespace === undefined && { dataTemplate: template }) },
  });
  if (seen.claim !== undefined) return filled;
  const { namespace, name, uid } = seen;
  const order = { machine: { namespace, name, uid }, template };
  return attempt(filled, { name: 'request data', order }, associationFailed, now);
}

const NAMED = ['metaData', 'networkData'] as const;

/** Takes over the Secrets that the user names; their namespace is written into status and spec. */
function withNamedData(memory: MachineMemory): MachineMemory {
  return NAMED.reduce((known, field) => {
    const { [field]: named } = known.seen.spec;
    if (named === undefined) return known;
    const isKnown = known.record[field]?.name === named.name;
    const shown = isKnown ? known.record[field] : { ...named, namespace: known.seen.namespace };
    const isFilledIn = !named.namespace && shown?.namespace !== undefined;
    const { spec } = known.record;
    return withRecord(known, { [field]: shown, ...(isFilledIn && { spec: { ...spec, [field]: shown } }) });
  }, memory);
}

/** Waits until the machine's data is rendered and takes over its Secrets unless the user names others. */
export function awaitData(memory: MachineMemory, complaint: Complaint): Pass | MachineMemory {
  const { seen } = memory;
  const waiting = (reason: string, from: MachineMemory = memory): Pass =>
    waitPass(complain(from, complaint, reason), reason);
  const renderedData = memory.record.renderedData ?? seen.claim?.renderedData;
  if (renderedData === undefined) {
    if (seen.spec.dataTemplate?.name === undefined) return memory;
    if (seen.claim === undefined) return waiting('Metal3DataClaim is not found');
    const because = seen.claim.errorMessage ? `: ${seen.claim.errorMessage}` : '';
    return waiting(`waiting for Metal3DataTemplate to be available${because}`);
  }
  const known = withRecord(memory, { renderedData });
  const { data } = seen;
  if (data === undefined || data.name !== renderedData.name) return waiting('Metal3Data is not found', known);
  if (!data.ready) {
    const because = data.errorMessage ?? data.waitingFor ?? '';
    const notReady = withConditions(
      known,
      isNot('Metal3DataReady', 'WaitingForMetal3Data', because),
      legacyIsNot('Metal3DataReady', 'Info', 'WaitingForMetal3Data', because),
    );
    return waiting(`waiting for Metal3Data to become ready${because === '' ? '' : `: ${because}`}`, notReady);
  }
  const secret = (field: 'metaData' | 'networkData'): { readonly [K in typeof field]?: SecretReference } => {
    const name = data[field]?.name;
    return known.record[field] !== undefined || !name ? {} : { [field]: { name, namespace: data.namespace } };
  };
  return withConditions(
    withRecord(known, { ...secret('metaData'), ...secret('networkData') }),
    is('Metal3DataReady', 'Metal3DataSecretsReady'),
    legacyIs('Metal3DataReady'),
  );
}
