import { z } from 'zod';
import type { Kube } from '../platform/kube.ts';
import { kindPath } from '../platform/kube-paths.ts';
import { createReflector, type Kept, keyOf, type Reflector } from './reflector.ts';

/** A BareMetalHost as the API server holds it, unread but for what the watch itself needs. */
export interface HostEntry extends Kept {
  readonly object: unknown;
  readonly credentialsName: string;
}

interface HardwareEntry extends Kept {
  /** '' when unknown. */
  readonly architecture: string;
}

export interface Cluster {
  host(key: string): HostEntry | undefined;
  hosts(): readonly HostEntry[];
  watches(namespace: string): boolean;
  hardware(key: string): HardwareEntry | undefined;
  /** null when there is no such Secret. */
  secretVersion(namespace: string, name: string): string | null;
  /** Resolves once everything was listed. */
  readonly synced: Promise<void>;
  /** False while the API server cannot be followed. */
  readonly following: boolean;
  run(signal: AbortSignal): Promise<void>;
}

export interface WatchOptions {
  readonly kube: Kube;
  /** Empty: all of them. */
  readonly namespaces: readonly string[];
  /** Something that matters to this host changed. */
  readonly onHost: (key: string) => void;
  /** The BareMetalHost is no more; another of its name may have come already. */
  readonly onGone: (last: HostEntry) => void;
  readonly onTrouble: (kind: string, error: unknown, retryInMs: number) => void;
}

const METADATA_ONLY = {
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  watch: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
};

const metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
});
const kept = z.object({ metadata });
const hostObject = z.looseObject({
  metadata: metadata.loose(),
  spec: z
    .looseObject({
      bmc: z
        .looseObject({ credentialsName: z.string().catch('') })
        .optional()
        .catch(undefined),
    })
    .catch({}),
});
const hardwareObject = z.object({
  metadata,
  spec: z
    .object({ hardware: z.object({ cpu: z.object({ arch: z.string() }) }) })
    .optional()
    .catch(undefined),
});

/** Follows BareMetalHosts and what they depend on: their HardwareData, and Secrets by their metadata alone. */
export function watchCluster({ kube, namespaces, onHost, onGone, onTrouble }: WatchOptions): Cluster {
  const hostsBySecret = new Map<string, Set<string>>();
  const index = (secret: string, key: string, names: boolean): void => {
    const keys = hostsBySecret.get(secret) ?? new Set();
    if (names) keys.add(key);
    else keys.delete(key);
    if (keys.size === 0) hostsBySecret.delete(secret);
    else hostsBySecret.set(secret, keys);
  };
  const hostChanged = (key: string, now: HostEntry | undefined, before: HostEntry | undefined): void => {
    if (before !== undefined) index(`${before.namespace}/${before.credentialsName}`, key, false);
    if (now !== undefined) index(`${now.namespace}/${now.credentialsName}`, key, true);
    if (before !== undefined && before.uid !== now?.uid) onGone(before);
    onHost(key);
  };
  const follow = (namespace: string | undefined): Kinds => ({
    hosts: createReflector({
      kube,
      path: kindPath('baremetalhosts', namespace),
      keep: keepHost,
      onChange: hostChanged,
      onTrouble: (error, retryInMs) => onTrouble('BareMetalHost', error, retryInMs),
    }),
    hardware: createReflector({
      kube,
      path: kindPath('hardwaredata', namespace),
      keep: keepHardware,
      onChange: onHost,
      onTrouble: (error, retryInMs) => onTrouble('HardwareData', error, retryInMs),
    }),
    secrets: createReflector({
      kube,
      path: kindPath('secrets', namespace),
      accept: METADATA_ONLY,
      keep: keepMetadata,
      onChange: (key) => hostsBySecret.get(key)?.forEach(onHost),
      onTrouble: (error, retryInMs) => onTrouble('Secret', error, retryInMs),
    }),
  });

  const everywhere = namespaces.length === 0 ? follow(undefined) : undefined;
  const some = new Map(namespaces.map((namespace) => [namespace, follow(namespace)]));
  const all = everywhere === undefined ? [...some.values()] : [everywhere];
  const reflectors = all.flatMap(({ hosts, hardware, secrets }): Reflector<Kept>[] => [hosts, hardware, secrets]);
  const at = (key: string): Kinds | undefined => everywhere ?? some.get(key.slice(0, key.indexOf('/')));

  return {
    host: (key) => at(key)?.hosts.get(key),
    hosts: () => all.flatMap(({ hosts }) => [...hosts.values()]),
    watches: (namespace) => at(keyOf({ namespace, name: '' })) !== undefined,
    hardware: (key) => at(key)?.hardware.get(key),
    secretVersion(namespace, name) {
      const key = keyOf({ namespace, name });
      return at(key)?.secrets.get(key)?.resourceVersion ?? null;
    },
    synced: Promise.all(reflectors.map((reflector) => reflector.synced)).then(() => undefined),
    get following() {
      return reflectors.every((reflector) => reflector.following);
    },
    run: async (signal) => void (await Promise.all(reflectors.map((reflector) => reflector.run(signal)))),
  };
}

interface Kinds {
  readonly hosts: Reflector<HostEntry>;
  readonly hardware: Reflector<HardwareEntry>;
  readonly secrets: Reflector<Kept>;
}

const identity = ({ namespace, name, uid, resourceVersion }: Kept): Kept => ({ namespace, name, uid, resourceVersion });

/** Of a Secret nothing else is kept: its annotations may hold its content, as kubectl apply puts it there. */
const keepMetadata = (object: unknown): Kept => identity(kept.parse(object).metadata);

function keepHost(object: unknown): HostEntry {
  const host = hostObject.parse(object);
  const { managedFields: _, ...rest } = host.metadata;
  return {
    ...identity(host.metadata),
    object: { ...host, metadata: rest },
    credentialsName: host.spec.bmc?.credentialsName ?? '',
  };
}

function keepHardware(object: unknown): HardwareEntry {
  const hardware = hardwareObject.parse(object);
  return { ...identity(hardware.metadata), architecture: hardware.spec?.hardware.cpu.arch ?? '' };
}
