import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import type { Kube } from '../../../kube/client.ts';
import { hostCollection, hostPath } from '../../../kube/paths.ts';
import { createResolver, type ResolvedBinary } from '../../../lab/binaries/resolve.ts';
import { bmcAddress } from '../../../lab/ironic/ironic-lab.ts';
import { bootMac } from '../../../lab/machines/machine.ts';
import type { TestLab } from './lab.ts';
import { NAMESPACE } from './place/namespace.ts';

export { NAMESPACE };

/** The fields of a host that tests read; others are kept. */
const host = z.looseObject({
  metadata: z.looseObject({
    uid: z.string(),
    generation: z.number(),
    finalizers: z.array(z.string()).default([]),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({}),
  status: z
    .looseObject({
      operationalStatus: z.string().default(''),
      errorType: z.string().default(''),
      errorMessage: z.string().default(''),
      errorCount: z.number().default(0),
      poweredOn: z.boolean().default(false),
      provisioning: z
        .looseObject({ state: z.string(), ID: z.string(), image: z.looseObject({ url: z.string() }).optional() })
        .default({ state: '', ID: '' }),
    })
    .default({
      operationalStatus: '',
      errorType: '',
      errorMessage: '',
      errorCount: 0,
      poweredOn: false,
      provisioning: { state: '', ID: '' },
    }),
});
export type Host = z.infer<typeof host>;
const hosts = z.object({ metadata: z.object({ resourceVersion: z.string() }), items: z.array(host) });
const change = z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: host });

/** Any lab with Kubernetes. */
export interface AnyLab {
  readonly kube: Kube;
  readonly endpoints: { readonly kubeconfig: string };
}

const resolve = createResolver();
let program: Promise<ResolvedBinary> | undefined;

/** Runs kubectl with the lab, from PATH or downloaded; throws with kubectl's output. */
export async function kubectl(
  lab: AnyLab,
  args: readonly string[],
  options: { readonly input?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  program ??= resolve('kubectl');
  const { stdout } = await execa((await program).path, ['--kubeconfig', lab.endpoints.kubeconfig, ...args], {
    input: '',
    ...options,
  });
  return stdout;
}

export const apply = (lab: AnyLab, ...manifests: readonly object[]): Promise<string> =>
  kubectl(lab, ['apply', '-f', '-'], {
    input: manifests.map((manifest) => stringify(manifest)).join('---\n'),
  });

export const secret = (name: string, data: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: NAMESPACE },
  stringData: data,
});

export const bmcSecret = (lab: TestLab, name: string, change: Record<string, string> = {}): object =>
  secret(`${name}-bmc`, { ...lab.endpoints.bmc, ...change });

interface HostManifest {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly bmc: NonNullable<BareMetalHostSpec['bmc']> };
}

/** The BareMetalHost of the lab's n-th machine, online. */
export function hostManifest(lab: TestLab, index: number, spec: Partial<BareMetalHostSpec> = {}): HostManifest {
  const machine = lab.machines[index];
  if (machine === undefined) throw new Error(`the lab has no machine ${index}`);
  const name = `host-${index}`;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      online: true,
      bootMACAddress: bootMac(machine),
      bmc: { address: bmcAddress(machine, lab.endpoints), credentialsName: `${name}-bmc` },
      ...spec,
    },
  } as HostManifest;
}

/** The annotations of a host whose hardware is told, not inspected. */
export const inspectedByOthers = (hardware: object): Record<string, string> => ({
  'inspect.metal3.io': 'disabled',
  'inspect.metal3.io/hardwaredetails': JSON.stringify(hardware),
});

/** A BareMetalHost on Ironic's own fake driver, with credentials in the Secret `fake-bmc`. */
export const fakeHostManifest = (name: string, spec: Partial<BareMetalHostSpec>): object => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name, namespace: NAMESPACE },
  spec: { bmc: { address: `fake-hardware://${name}`, credentialsName: 'fake-bmc' }, ...spec },
});

/** Applies a host with its Secret; returns its name. */
export async function createHost(lab: TestLab, index: number, spec: Partial<BareMetalHostSpec> = {}): Promise<string> {
  const manifest = hostManifest(lab, index, spec);
  await apply(lab, bmcSecret(lab, manifest.metadata.name), manifest);
  return manifest.metadata.name;
}

export async function getHost(lab: AnyLab, name: string): Promise<Host | undefined> {
  const found = await lab.kube.find(hostPath({ namespace: NAMESPACE, name }));
  return found === undefined ? undefined : host.parse(found);
}

/** Changes the spec with a merge patch. */
export const editHost = (lab: AnyLab, name: string, spec: object): Promise<unknown> =>
  lab.kube.patch(hostPath({ namespace: NAMESPACE, name }), { spec });

const PATIENCE_MS = 600_000;
/** Before the hosts are listed again, because the API server ended or does not answer. */
const LIST_AGAIN_MS = 250;
const WATCH_MS = 30_000;

/** Waits until the host satisfies the check; the error shows its last state. */
export async function hostThat(
  lab: AnyLab,
  name: string,
  description: string,
  holds: (host: Host) => boolean,
  patience: number = PATIENCE_MS,
): Promise<Host> {
  let last: Host | undefined;
  for await (const version of versionsOf(lab, name, Date.now() + patience)) {
    if (version !== undefined && holds(version)) return version;
    last = version;
  }
  throw new Error(`${name} never was ${description}: ${JSON.stringify(last?.status ?? 'no such host')}`);
}

/** Yields the current BareMetalHost, and then each later version of it; undefined while it does not exist. */
async function* versionsOf(
  { kube }: AnyLab,
  name: string,
  until: number,
): AsyncGenerator<Host | undefined, void, undefined> {
  const path = hostCollection(NAMESPACE);
  const fieldSelector = `metadata.name=${name}`;
  while (Date.now() < until) {
    try {
      const listed = hosts.parse(await kube.request({ path, query: { fieldSelector } }));
      yield listed.items[0];
      const query = { fieldSelector, watch: true, resourceVersion: listed.metadata.resourceVersion };
      const signal = AbortSignal.timeout(Math.max(0, Math.min(WATCH_MS, until - Date.now())));
      for await (const line of kube.lines({ path, query, signal })) {
        const { type, object } = change.parse(JSON.parse(line));
        yield type === 'DELETED' ? undefined : object;
      }
    } catch {
      await sleep(LIST_AGAIN_MS);
    }
  }
}

export const hostIn = (lab: AnyLab, name: string, state: string, patience?: number): Promise<Host> =>
  hostThat(lab, name, state, ({ status }) => status.provisioning.state === state, patience);

export async function hostGone(lab: AnyLab, name: string): Promise<void> {
  await kubectl(lab, ['wait', '--for=delete', `bmh/${name}`, '--timeout=600s']);
}

interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}
/** Whether machines may have the host. */
export const availability = ({ status }: Host): SeenCondition | undefined =>
  (status['conditions'] as readonly SeenCondition[] | undefined)?.find(
    ({ type }) => type === 'AvailableForProvisioning',
  );
