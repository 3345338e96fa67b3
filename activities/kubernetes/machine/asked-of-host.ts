import { type Metal3Machine, metal3Machine } from '../../../api/metal3machine/schema.ts';
import type { Claimant } from '../../../domain/machine/choose-host/host-facts.ts';
import type { AskedOfHost } from '../../../domain/machine/host-change.ts';
import { type DefaultDeployment, hostWish, isInvalid } from '../../../domain/machine-api/provider-spec.ts';
import type { Kube } from '../../../kube/client.ts';
import { type Find, gather } from '../../../kube/gather.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { dataSeen, readMetal3Data } from '../../../kube/objects/metal3data.ts';
import { claimSeen, readDataClaim } from '../../../kube/objects/metal3dataclaim.ts';
import { belongingOf, templateNameOf } from '../../../kube/objects/metal3machine.ts';
import { readMachineTemplate } from '../../../kube/objects/metal3machinetemplate.ts';
import { sealImage } from '../../../kube/objects/sealed-urls.ts';

/**
 * What a machine asks of its host now, by its object and those that belong to it. The status of the machine may not
 * show yet what its workflow has decided, so the sources of that decision count too.
 */
export const askedOfHost = (
  kube: Kube,
  { api }: Pick<Claimant, 'api'>,
  machine: unknown,
  defaults: DefaultDeployment,
): Promise<AskedOfHost> | AskedOfHost =>
  api === undefined ? gather(kube, (find) => askedByMetal3Machine(machine, find)) : askedByMachine(machine, defaults);

const nothing = (namespace: string): AskedOfHost => ({
  namespace,
  images: [],
  userData: [],
  metaData: [],
  networkData: [],
  cleaningModes: [],
});

function askedByMachine(machine: unknown, defaults: DefaultDeployment): AskedOfHost {
  const { metadata, value } = readMachineApi(machine);
  const { namespace, uid } = metadata;
  const wish = hostWish(value, { namespace }, defaults);
  if (isInvalid(wish)) return nothing(namespace);
  const { image, customDeploy, userData } = wish;
  return {
    ...nothing(namespace),
    images: image === undefined ? [] : [image, sealImage(uid, image)],
    ...(customDeploy && { customDeploy }),
    userData: named([userData?.name]),
  };
}

function askedByMetal3Machine(object: unknown, find: Find): AskedOfHost {
  const metadata = readMetadata(object);
  const { namespace, uid } = metadata;
  const read = metal3Machine.safeParse(object);
  if (!read.success) return nothing(namespace);
  const { spec, status } = read.data as Metal3Machine;
  const { image, customDeploy, userData, metaData, networkData, automatedCleaningMode } = spec;
  const { dataSecretName, configRef } = belongingOf(object, find).machine?.owner ?? {};
  const isBootstrapped = dataSecretName !== undefined || configRef !== undefined;
  const rendered = renderedBy(object, status, find);
  return {
    namespace,
    images: image?.url ? [image, sealImage(uid, image)] : [],
    ...(customDeploy?.method && { customDeploy }),
    userData: named([dataSecretName, configRef, isBootstrapped ? undefined : userData?.name, status?.userData?.name]),
    metaData: named([metaData?.name, rendered.metaData?.name, status?.metaData?.name]),
    networkData: named([networkData?.name, rendered.networkData?.name, status?.networkData?.name]),
    cleaningModes: named([automatedCleaningMode, templateMode(object, find)]),
  };
}

const named = (names: readonly (string | undefined)[]): readonly string[] => names.filter((name) => name !== undefined);

/** The Secrets with the data that was rendered for the machine. */
function renderedBy(
  object: unknown,
  status: Metal3Machine['status'],
  find: Find,
): Partial<ReturnType<typeof dataSeen>> {
  const { namespace, name } = readMetadata(object);
  const claim = find(KINDS.dataClaim, { namespace, name });
  const claimed = claim === undefined ? undefined : claimSeen(readDataClaim(claim)).renderedData?.name;
  const rendered = status?.renderedData?.name ?? claimed;
  const data = rendered === undefined ? undefined : find(KINDS.data, { namespace, name: rendered });
  return data === undefined ? {} : dataSeen(readMetal3Data(data));
}

/** The cleaning mode of the template, which a machine takes over. */
function templateMode(object: unknown, find: Find): string | undefined {
  const metadata = readMetadata(object);
  const name = templateNameOf(metadata);
  const template = name && find(KINDS.metal3MachineTemplate, { namespace: metadata.namespace, name });
  const seen = template ? readMachineTemplate(template).seen : undefined;
  return seen?.paused ? undefined : seen?.automatedCleaningMode;
}
