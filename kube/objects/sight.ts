import { ERROR_TYPES, PROVISIONING_STATES, type ProvisioningState } from '../../api/baremetalhost/values.ts';
import type { MissingSecret, SeenHost, SeenObject, SeenText } from '../../domain/diagnosis/sight.ts';
import { isBusyState, traitsOf } from '../../domain/states/table.ts';
import { publicPart } from '../../domain/urls/hidden.ts';
import { modelOf } from '../../domain/usual-times/model.ts';
import { type UsualTimes, usualTime } from '../../domain/usual-times/usual-times.ts';
import { readObject } from './any-object.ts';
import { type BareMetalHostRead, readHost } from './baremetalhost.ts';
import { conditionsOf } from './conditions.ts';

/** What an object shows, as the table of diagnoses reads it. Lenient: whatever is malformed is read as empty. */
export function objectInSight(kind: string, object: unknown, texts: readonly SeenText[] = []): SeenObject {
  const { metadata, status } = readObject(object);
  const { namespace, name, generation, creationTimestamp, deletionTimestamp, annotations } = metadata;
  return {
    kind,
    namespace,
    name,
    generation,
    creationTimestamp,
    deleting: deletionTimestamp !== undefined,
    annotations,
    conditions: conditionsOf(status).map(({ type, status: is, reason, message, lastTransitionTime, ...rest }) => ({
      type,
      status: is,
      reason,
      message,
      since: lastTransitionTime,
      ...(rest.observedGeneration !== undefined && { observedGeneration: rest.observedGeneration }),
    })),
    texts: texts.filter(({ words }) => words !== ''),
  };
}

/** `answers`: the last answers to requests that the run repeats. */
export function hostInSight(object: unknown, times: UsualTimes, answers: readonly SeenText[]): SeenHost {
  const host = readHost(object);
  const { spec, status, imageUrl } = host;
  const errorType = ERROR_TYPES.find((each) => each === host.errorType);
  const since = sinceOf(object);
  const state = stateOf(host);
  const model = modelOf(host.systemVendor, host.bmcAddress);
  return {
    ...objectInSight('BareMetalHost', object, [
      { field: 'status.errorMessage', words: status.errorMessage },
      ...answers,
    ]),
    state,
    nodeId: host.nodeId,
    operationalStatus: host.operationalStatus,
    ...(errorType !== undefined && { errorType }),
    errorCount: host.errorCount,
    provisioningFailCount: host.provisioningFailCount,
    poweredOn: status.poweredOn,
    online: spec.online,
    wantsImage: imageUrl !== '' || host.deployMethod !== '',
    imageUrl: publicPart(imageUrl),
    bmcAddress: host.bmcAddress,
    credentialsName: spec.credentialsName,
    registrySecret: host.registrySecret,
    consumer: spec.consumerRef === undefined ? '' : `${spec.consumerRef.kind ?? ''} ${spec.consumerRef.name ?? ''}`,
    ...(since !== undefined && { since }),
    ...(isBusyState(state) && { usual: { ...usualTime(times, model, state), model } }),
  };
}

/** '' for a host without a state, or with one that Metal3 does not have. */
const stateOf = ({ status }: BareMetalHostRead): ProvisioningState =>
  PROVISIONING_STATES.find((each) => each === status.state) ?? '';

/** When the host came into its state, as far as a field or condition of the object shows it. */
function enteredAt(object: unknown): string | null | undefined {
  const host = readHost(object);
  const { deletion, history, work, rest } = traitsOf(stateOf(host));
  if (deletion.isPart) return host.metadata.deletionTimestamp;
  if (history !== null) return host.operationHistory[history]?.start;
  if (work === 'prepare') return host.operationHistory['inspect']?.end;
  if (rest === null) return undefined;
  const shows = rest === 'free' ? 'AvailableForProvisioning' : 'Provisioned';
  return conditionsOf(readObject(object).status).find(({ type }) => type === shows)?.lastTransitionTime;
}

function sinceOf(object: unknown): number | undefined {
  const ms = Date.parse(enteredAt(object) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The Secrets that the spec of a host names, and where. */
export function secretsNamedBy(host: unknown): readonly MissingSecret[] {
  const { spec, agentNetworkData, registrySecret } = readHost(host);
  return [
    { field: 'spec.bmc.credentialsName', name: spec.credentialsName },
    { field: 'spec.userData', name: spec.userData?.name },
    { field: 'spec.networkData', name: spec.networkData?.name },
    { field: 'spec.metaData', name: spec.metaData?.name },
    { field: 'spec.preprovisioningNetworkDataName', name: agentNetworkData },
    { field: 'spec.image.ociAuthSecretName', name: registrySecret },
  ].flatMap(({ field, name }): readonly MissingSecret[] => (name ? [{ field, name }] : []));
}
