import { hardwareDetails } from '../../../api/baremetalhost/hardware.ts';
import type { HardwareDetails, SecretReference } from '../../../api/baremetalhost/types.ts';
import { FINALIZERS } from '../../../api/baremetalhost/values.ts';
import type { HostRef } from '../../../domain/ironic/orders.ts';
import type { WorkerMeasurement } from '../../../domain/metrics/definitions.ts';
import { NO_CREDENTIALS_SECRET } from '../../../domain/metrics/events.ts';
import { isAlreadyExists, isConflict, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { readHardwareData } from '../../../kube/objects/hardwaredata.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { type Secret, textOf } from '../../../kube/objects/secret.ts';
import { hardwareDataCollection, hardwareDataPath, hostPath } from '../../../kube/paths.ts';
import { type BmcCredentials, type HostData, HostDataError, keysInWords, type SecretText } from '../../host-data.ts';
import { stale } from '../machine/machine-now.ts';
import { isForbiddenByPolicy, refusing } from '../refusal.ts';
import { hostOwner, type MarkedSecret, markSecret, readSecret } from '../secrets.ts';
import { hostSecrets } from './host-secrets.ts';
import { registryLogin } from './registry-login.ts';

export const createHostData = (kube: Kube, count: (measurement: WorkerMeasurement) => void): HostData => ({
  ...hostSecrets(kube),

  async bmcCredentials(host, name, { claim, signal }): Promise<BmcCredentials> {
    if (name === '') return invalid('No BMC CredentialsName defined The BMC secret reference is empty', '');
    const { namespace } = host;
    const unhandled = (error: unknown): never => {
      // A cancelled request is nobody's error.
      if (!signal?.aborted) count({ name: 'metal3_credentials_unhandled_error_total', labels: {} });
      throw error;
    };
    const found = await readSecret(kube, { namespace, name }).catch(unhandled);
    if (found === undefined) {
      const message = `${NO_CREDENTIALS_SECRET} The BMC secret ${namespace}/${name} does not exist`;
      return { kind: 'missing', message };
    }
    const claimed = claim ? markSecret(kube, found, { hold: true, owner: hostOwner(host) }, signal) : { secret: found };
    const { secret, refusal } = await Promise.resolve<MarkedSecret>(claimed).catch(unhandled);
    const version = secret.metadata.resourceVersion;
    const username = textOf(secret, 'username')?.trim();
    const password = textOf(secret, 'password')?.trim();
    if (!username) return invalid(`${NOT_VALID} Missing BMC connection detail 'username' in credentials`, version);
    if (!password) return invalid(`${NOT_VALID} Missing BMC connection details 'password' in credentials`, version);
    return { kind: 'ok', username, password, version, ...(refusal !== undefined && { refusal }) };
  },

  async hostData(host, reference, key, signal) {
    const name = reference?.name;
    if (!name) return undefined;
    refuseOtherNamespace(host, reference, key);
    const secret = await secretOf(kube, host, name, { hold: false, signal });
    const found = textIn(secret, key, count);
    if (found.unreadKeys !== undefined && key !== 'networkData') {
      throw new HostDataError(`Secret ${name} does not contain key ${key}${others(found.unreadKeys)}`);
    }
    return found;
  },

  async claimedNetworkData(host, name, signal) {
    const secret = await secretOf(kube, host, name, { hold: true, signal });
    return textIn(secret, 'networkData', count);
  },

  async registryLogin(host, name, imageUrl, signal) {
    const { namespace } = host;
    const found = await readSecret(kube, { namespace, name });
    if (found === undefined) {
      return { kind: 'missing', message: `auth secret "${name}" not found in namespace "${namespace}"` };
    }
    const { secret } = await markSecret(kube, found, { hold: false }, signal);
    return registryLogin(secret, imageUrl);
  },

  async saveHardware(host, hardware) {
    const write = (): Promise<void> =>
      whileContended(
        async () => {
          await mustExist(kube, host);
          await writeHardware(kube, host, hardware);
        },
        (error) => isConflict(error) || isAlreadyExists(error),
      );
    await refusing(write, isForbiddenByPolicy);
  },

  async readHardware(host): Promise<HardwareDetails | undefined> {
    const found = await kube.find(hardwareDataPath(host));
    return found === undefined ? undefined : hardwareDetails.optional().parse(readHardwareData(found).hardware);
  },
});

/** An owner that does not exist would have Kubernetes delete the HardwareData. */
async function mustExist(kube: Kube, host: HostRef): Promise<void> {
  const found = await kube.find(hostPath(host));
  if (found === undefined || readMetadata(found).uid !== host.uid)
    throw stale(`save the hardware: BareMetalHost ${host.name} does not exist any more`);
}

/** Reads the Secret and marks it as given. Throws when it does not exist. */
async function secretOf(
  kube: Kube,
  host: HostRef,
  name: string,
  { hold, signal }: { readonly hold: boolean; readonly signal: AbortSignal | undefined },
): Promise<Secret> {
  const { namespace } = host;
  const found = await readSecret(kube, { namespace, name });
  if (found === undefined) {
    throw new HostDataError(`failed to fetch secret ${name} in namespace ${namespace}: secrets "${name}" not found`);
  }
  return (await markSecret(kube, found, { hold }, signal)).secret;
}

/** The text under the key, or under `value`; missing data is counted. */
function textIn(secret: Secret, key: string, count: Parameters<typeof createHostData>[1]): SecretText {
  const { namespace, name, resourceVersion: version } = secret.metadata;
  const of = { namespace, secret: name, version };
  for (const each of [key, 'value']) {
    const text = textOf(secret, each);
    if (text !== undefined) return { ...of, key: each, text };
  }
  count({ name: 'metal3_host_config_data_error_total', labels: { host_data_type: key } });
  return { ...of, key, text: '', unreadKeys: Object.keys(secret.data ?? {}).toSorted() };
}

const others = (keys: readonly string[]): string =>
  keys.length === 0 ? '' : `, nor value; nobody reads ${keysInWords(keys)}`;

const NOT_VALID = 'Validation error with BMC credentials:';

const invalid = (message: string, version: string): BmcCredentials => ({ kind: 'invalid', message, version });

function refuseOtherNamespace(host: HostRef, reference: SecretReference, key: string): void {
  if (!reference.namespace || reference.namespace === host.namespace) return;
  throw new HostDataError(`${key} secret must be in same namespace as host ${host.namespace}/${host.name}`);
}

const hardwareMarks = (host: HostRef) => ({
  finalizers: [FINALIZERS.hardwareData],
  ownerReferences: [{ ...hostOwner(host), controller: true, blockOwnerDeletion: true }],
});

/** Creates the HardwareData of a host; throws when there is one. `hold`: it gets our finalizer, which its host removes. */
export async function createHardware(
  kube: Kube,
  host: HostRef,
  hardware: HardwareDetails,
  { hold }: { readonly hold: boolean },
): Promise<void> {
  const { namespace, name } = host;
  const { finalizers, ownerReferences } = hardwareMarks(host);
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'HardwareData',
    metadata: { namespace, name, ownerReferences, ...(hold && { finalizers }) },
    spec: { hardware },
  };
  await kube.request({ method: 'POST', path: hardwareDataCollection(namespace), body });
}

/**
 * Creates the HardwareData, or replaces its content. While an earlier host's HardwareData of this name is being
 * deleted, it waits.
 */
async function writeHardware(kube: Kube, host: HostRef, hardware: HardwareDetails): Promise<void> {
  const path = hardwareDataPath(host);
  const { namespace, name } = host;
  const found = await kube.find(path);
  if (found === undefined) return createHardware(kube, host, hardware, { hold: true });
  const ours = hardwareMarks(host);
  const { metadata } = readHardwareData(found);
  const isLeaving = metadata.deletionTimestamp !== undefined;
  await kube.request({
    method: 'PUT',
    path,
    body: {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'HardwareData',
      metadata: {
        ...metadata,
        ...ours,
        // A HardwareData that is being deleted only loses our finalizer; any other gets it.
        finalizers: isLeaving
          ? metadata.finalizers.filter((each) => each !== FINALIZERS.hardwareData)
          : [...new Set([...metadata.finalizers, FINALIZERS.hardwareData])],
      },
      spec: { hardware },
    },
  });
  if (isLeaving) throw new HostDataError(`HardwareData ${namespace}/${name} of an earlier host is being deleted`);
}
