import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { connectKube, isAlreadyExists } from '../../../../kube/client.ts';
import type { IronicEndpoints } from '../../../../lab/ironic/ironic-lab.ts';
import { prepareProxy } from '../../../../lab/proxy/service.ts';
import type { AccountKubeconfigs } from '../../../../lab/rights.ts';
import type { Service } from '../../../../lab/service.ts';
import type { Session } from '../../../../lab/supervisor/session.ts';
import { type EnvOf, TEMPER_PORTS, temperEndpoints, temperServices } from '../../../../lab/temper.ts';
import { WITHOUT_ADMISSION } from '../../../../lab/webhooks.ts';
import { createTemporalNamespace } from '../../../builders/temporal-namespace.ts';
import type { SharedLab } from '../../setup/share.ts';
import { FEWER_LISTS } from '../lab.ts';
import { NAMESPACE } from './namespace.ts';

export interface TemperSettings {
  /** Added to the environment of bridge and workers. */
  readonly temperEnv: Readonly<Record<string, string>>;
  /** Added to the environment of one of them. */
  readonly envOf: EnvOf;
  /** Kubernetes namespaces to watch; by default the one with the file's name. */
  readonly namespaces: readonly string[];
  /** The API server skips the webhooks for objects of these namespaces. */
  readonly skipsAdmission: boolean;
  readonly credentials: AccountKubeconfigs;
}

/**
 * Nobody restores the etcd of a shared lab, which a bridge notices by renewing its Lease: by default, a twelfth of all
 * requests to its API server.
 */
const NO_RESTORES = { RETRY_PERIOD_SECONDS: '60' } as const;

const PORTS = { ...TEMPER_PORTS, proxy: undefined };
const FREE_PORTS = Object.fromEntries(Object.keys(PORTS).map((name) => [name, undefined])) as Record<
  keyof typeof PORTS,
  undefined
>;

/** Starts bridge, workers and, with Ironic, a proxy in front of it; returns their addresses. */
export async function startTemper<E extends SharedLab['endpoints']>(
  session: Session,
  { temperEnv, envOf, namespaces, skipsAdmission, credentials }: TemperSettings,
  endpoints: E,
): Promise<E> {
  const { dir } = session;
  const ports = await session.ports(FREE_PORTS);
  const [kubeconfig] = await Promise.all([
    makePlace(dir, endpoints.kubeconfig, namespaces, skipsAdmission ? WITHOUT_ADMISSION : {}),
    createTemporalNamespace(endpoints.temporalAddress, NAMESPACE),
  ]);
  const { ironicDirect } = endpoints;
  const proxy =
    ironicDirect === undefined
      ? undefined
      : await prepareProxy({
          dir: join(dir, 'proxy'),
          port: ports.proxy,
          upstream: new URL(ironicDirect).origin,
          env: {},
        });
  const joined: E = {
    ...endpoints,
    kubeconfig,
    temporalNamespace: NAMESPACE,
    ...temperEndpoints(ports),
    ...(proxy && { ironic: `http://127.0.0.1:${ports.proxy}/v1/`, proxyControl: `http://127.0.0.1:${ports.proxy}` }),
  };
  const services = temperServices({
    controlPlane: joined,
    credentials,
    ironic: proxy && (joined as E & IronicEndpoints),
    ports,
    // The lab's own bridge serves the webhooks for all files.
    env: { WATCH_NAMESPACE: namespaces.join(','), WEBHOOK_PORT: '0', ...FEWER_LISTS, ...NO_RESTORES, ...temperEnv },
    envOf,
  });
  if (proxy !== undefined) await session.supervisor.start(proxy);
  await startAll(session, services);
  return joined;
}

async function startAll({ supervisor }: Session, services: readonly Service[]): Promise<void> {
  const starts = services.map((service) => supervisor.start(service));
  await Promise.allSettled(starts);
  await Promise.all(starts);
}

/** Creates the namespaces; returns the path of a kubeconfig in `dir`. */
export async function makePlace(
  dir: string,
  admins: string,
  namespaces: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Promise<string> {
  const kubeconfig = join(dir, 'kubeconfig');
  await mkdir(dir, { recursive: true });
  await Promise.all([writeKubeconfig(kubeconfig, admins), createNamespaces(admins, namespaces, labels)]);
  return kubeconfig;
}

/** The administrator's kubeconfig with the file's namespace as default. */
async function writeKubeconfig(file: string, from: string): Promise<void> {
  const config = parse(await readFile(from, 'utf8')) as { contexts: { context: object }[] };
  const contexts = config.contexts.map((each) => ({ ...each, context: { ...each.context, namespace: NAMESPACE } }));
  await writeFile(file, stringify({ ...config, contexts }), { mode: 0o600 });
}

async function createNamespaces(
  kubeconfig: string,
  names: readonly string[],
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const kube = connectKube(kubeconfig);
  try {
    for (const name of names) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
      await kube.request({ method: 'POST', path: '/api/v1/namespaces', body }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
  } finally {
    await kube.close();
  }
}
