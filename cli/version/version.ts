import { messageOf } from '../../domain/message-of.ts';
import type { Kube } from '../../kube/client.ts';
import { buildInWords } from '../../platform/build-info.ts';
import { setVariables } from '../../platform/config/set-variables.ts';
import { type Endpoints, endpointsOf, fromTemporal, withKube } from '../access.ts';
import { deploymentsIn, settingsOf, type TemperDeployment } from '../deployments.ts';
import { DONE, type Out, print } from '../out.ts';
import { table } from '../table.ts';
import { ironicVersion, type ServerVersion } from './ironic-version.ts';
import type { VersionRequest } from './options.ts';
import { ownBuild } from './own-version.ts';
import { type Processes, temporalVersions } from './temporal-versions.ts';

/** A part of Temper, or a server that it uses. Plain JSON: this is what `--output json` prints. */
export interface PartVersion extends ServerVersion {
  readonly part: 'client' | 'bridge' | 'workers' | 'Temporal' | 'Ironic' | 'API server';
}

/** Prints the version of each part that can be asked; what cannot be asked is named with the reason. */
export async function printVersions(request: VersionRequest, out: Out): Promise<number> {
  const endpoints = endpointsOf(request.dir);
  return withKube(endpoints, async (kube) => {
    const parts = await versionsOf(kube, endpoints, request.bridgeNamespace);
    print(out, request.output, parts, versionLines);
    return DONE;
  });
}

export const versionLines = (parts: readonly PartVersion[]): readonly string[] =>
  table(
    ['PART', 'VERSION', 'DETAILS'],
    parts.map(({ part, version = 'unknown', details }) => [part, version, details]),
  );

/** The versions of all parts. Each server is asked once or twice, whatever the number of hosts. */
export async function versionsOf(
  kube: Pick<Kube, 'find' | 'request'>,
  endpoints: Endpoints,
  bridgeNamespace: string,
): Promise<readonly PartVersion[]> {
  const [apiServer, deployed, temporal] = await Promise.all([
    apiServerVersion(kube),
    deploymentsIn(kube, bridgeNamespace).catch(messageOf),
    fromTemporal(endpoints, temporalVersions),
  ]);
  const deployments = typeof deployed === 'string' ? [] : deployed;
  const named = await settingsOf(kube, bridgeNamespace, deployments).catch((): Record<string, string> => ({}));
  const { IRONIC_ENDPOINT: given } = setVariables(process.env);
  const ofInstallation = given === undefined ? named : {};
  const ironic = given ?? (named['IRONIC_ENDPOINT'] || endpoints.ironic);
  const why = [
    ...(typeof deployed === 'string' ? [deployed] : []),
    typeof temporal === 'string' ? `Temporal: ${temporal}` : 'no process waits for tasks in Temporal',
  ].join('; ');
  const processes = typeof temporal === 'string' ? NO_PROCESSES : temporal.processes;
  const ofTemporal: ServerVersion =
    typeof temporal === 'string' ? { details: temporal } : { version: temporal.version, details: temporal.where };
  return [
    { part: 'client', version: buildInWords(ownBuild()), details: `Node ${process.version}` },
    ...ownPart('bridge', processes.bridge, deployments, why),
    ...ownPart('workers', processes.workers, deployments, why),
    { part: 'Temporal', ...ofTemporal },
    { part: 'Ironic', ...(await ironicVersion(ironic, ofInstallation)) },
    { part: 'API server', ...apiServer },
  ];
}

const NO_PROCESSES: Processes = { bridge: new Map(), workers: new Map() };

/** A row for each version that runs. Without Temporal, the images of the Deployments are all that is known. */
function ownPart(
  part: 'bridge' | 'workers',
  running: ReadonlyMap<string, readonly string[]>,
  deployments: readonly TemperDeployment[],
  why: string,
): readonly PartVersion[] {
  const images = deployments
    .filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === part)
    .map(({ metadata: { namespace, name }, spec, status }) => {
      const [image = ''] = spec.template.spec.containers.map((container) => container.image);
      return `Deployment ${namespace}/${name}: ${image}, ${status.readyReplicas} of ${spec.replicas} ready`;
    });
  if (running.size === 0) return [{ part, details: [...images, why].join('; ') }];
  return [...running].map(([version, names]) => ({
    part,
    version,
    details: [...images, names.toSorted().join(', ')].join('; '),
  }));
}

async function apiServerVersion(kube: Pick<Kube, 'request'>): Promise<ServerVersion> {
  try {
    const { gitVersion } = (await kube.request({ path: '/version' })) as { readonly gitVersion?: unknown };
    return typeof gitVersion === 'string' ? { version: gitVersion, details: '' } : { details: 'it does not say' };
  } catch (error) {
    return { details: messageOf(error) };
  }
}
