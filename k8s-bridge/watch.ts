import { z } from 'zod';
import { dataImageStatus } from '../api/dataimage/schema.ts';
import type { DataImageStatus } from '../api/dataimage/types.ts';
import { ownerReference } from '../api/meta/references.ts';
import { preprovisioningImageSpec, preprovisioningImageStatus } from '../api/preprovisioningimage/schema.ts';
import type { PreprovisioningImageSpec, PreprovisioningImageStatus } from '../api/preprovisioningimage/types.ts';
import type { Kube } from '../kube/client.ts';
import { kindPath } from '../kube/paths.ts';
import { createReflector, type Kept, keyOf, METADATA_ONLY, type Reflector } from '../kube/reflector.ts';

/** A BareMetalHost as the API server holds it, unread but for what the watch itself needs. */
export interface HostEntry extends Kept {
  readonly object: unknown;
  /** Keys of the Secrets that it depends on. */
  readonly secrets: readonly string[];
}

interface HardwareEntry extends Kept {
  /** '' when unknown. */
  readonly architecture: string;
}

/** A PreprovisioningImage, with nothing in it that we can't read. */
export interface ImageEntry extends Kept {
  readonly generation: number;
  readonly deleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly spec: PreprovisioningImageSpec;
  readonly status: PreprovisioningImageStatus;
}

export interface DataImageEntry extends Kept {
  readonly url: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly z.infer<typeof ownerReference>[];
  readonly status: DataImageStatus;
}

export interface Cluster {
  host(key: string): HostEntry | undefined;
  hosts(): readonly HostEntry[];
  watches(namespace: string): boolean;
  hardware(key: string): HardwareEntry | undefined;
  /** undefined as well where images are not built: then nobody follows them. */
  image(key: string): ImageEntry | undefined;
  dataImage(key: string): DataImageEntry | undefined;
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
  /** PreprovisioningImages matter. */
  readonly followsImages: boolean;
  /** Something that matters to this host changed. */
  readonly onHost: (key: string) => void;
  /** The BareMetalHost itself is another than before; undefined: there is, or was, none. */
  readonly onHostChanged: (now: HostEntry | undefined, before: HostEntry | undefined) => void;
  /** The PreprovisioningImage, or the Secret that it names, changed. */
  readonly onImage: (key: string) => void;
  readonly onDataImage: (key: string) => void;
  /** A Secret came, changed or went. */
  readonly onSecret: (key: string) => void;
  /** The BareMetalHost is no more; another of its name may have come already. */
  readonly onGone: (last: HostEntry) => void;
  readonly onTrouble: (kind: string, error: unknown, retryInMs: number) => void;
}

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
      preprovisioningNetworkDataName: z.string().optional().catch(undefined),
    })
    .catch({}),
});
const imageObject = z.object({
  metadata: metadata.extend({
    generation: z.number().default(0),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    finalizers: z.array(z.string()).default([]),
  }),
  spec: preprovisioningImageSpec.catch({}),
  status: preprovisioningImageStatus.catch({}),
});
const dataImageObject = z.object({
  metadata: metadata.extend({
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).default([]),
    ownerReferences: z.array(ownerReference).default([]),
  }),
  spec: z.object({ url: z.string() }).catch({ url: '' }),
  status: dataImageStatus.catch({}),
});
const hardwareObject = z.object({
  metadata,
  spec: z
    .object({ hardware: z.object({ cpu: z.object({ arch: z.string() }) }) })
    .optional()
    .catch(undefined),
});

/** Follows BareMetalHosts and what they depend on: their HardwareData, and Secrets by their metadata alone. */
export function watchCluster(options: WatchOptions): Cluster {
  const { kube, namespaces, followsImages, onHost, onHostChanged, onImage, onDataImage, onSecret, onGone, onTrouble } =
    options;
  const hostsBySecret = createIndex();
  const imagesBySecret = createIndex();
  const hostChanged = (key: string, now: HostEntry | undefined, before: HostEntry | undefined): void => {
    hostsBySecret.move(key, now?.secrets, before?.secrets);
    if (before !== undefined && before.uid !== now?.uid) onGone(before);
    onHost(key);
    onHostChanged(now, before);
  };
  const imageChanged = (key: string, now: ImageEntry | undefined, before: ImageEntry | undefined): void => {
    imagesBySecret.move(key, networkSecretOf(now), networkSecretOf(before));
    onImage(key);
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
    dataImages: createReflector({
      kube,
      path: kindPath('dataimages', namespace),
      keep: keepDataImage,
      onChange: (key) => {
        onDataImage(key);
        onHost(key);
      },
      onTrouble: (error, retryInMs) => onTrouble('DataImage', error, retryInMs),
    }),
    ...(followsImages && {
      images: createReflector({
        kube,
        path: kindPath('preprovisioningimages', namespace),
        keep: keepImage,
        onChange: imageChanged,
        onTrouble: (error, retryInMs) => onTrouble('PreprovisioningImage', error, retryInMs),
      }),
    }),
    secrets: createReflector({
      kube,
      path: kindPath('secrets', namespace),
      accept: METADATA_ONLY,
      keep: keepMetadata,
      onChange: (key) => {
        hostsBySecret.get(key).forEach(onHost);
        imagesBySecret.get(key).forEach(onImage);
        onSecret(key);
      },
      onTrouble: (error, retryInMs) => onTrouble('Secret', error, retryInMs),
    }),
  });

  const everywhere = namespaces.length === 0 ? follow(undefined) : undefined;
  const some = new Map(namespaces.map((namespace) => [namespace, follow(namespace)]));
  const all = everywhere === undefined ? [...some.values()] : [everywhere];
  const reflectors = all.flatMap(({ hosts, hardware, images, dataImages, secrets }): Reflector<Kept>[] => [
    hosts,
    hardware,
    secrets,
    dataImages,
    ...(images === undefined ? [] : [images]),
  ]);
  const at = (key: string): Kinds | undefined => everywhere ?? some.get(key.slice(0, key.indexOf('/')));

  return {
    host: (key) => at(key)?.hosts.get(key),
    hosts: () => all.flatMap(({ hosts }) => [...hosts.values()]),
    watches: (namespace) => at(keyOf({ namespace, name: '' })) !== undefined,
    hardware: (key) => at(key)?.hardware.get(key),
    image: (key) => at(key)?.images?.get(key),
    dataImage: (key) => at(key)?.dataImages.get(key),
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
  readonly images?: Reflector<ImageEntry>;
  readonly dataImages: Reflector<DataImageEntry>;
  readonly secrets: Reflector<Kept>;
}

/** Which objects name which Secret. */
interface Index {
  get(secret: string): ReadonlySet<string>;
  move(key: string, now: readonly string[] | undefined, before: readonly string[] | undefined): void;
}

function createIndex(): Index {
  const keysBySecret = new Map<string, Set<string>>();
  return {
    get: (secret) => keysBySecret.get(secret) ?? new Set(),
    move(key, now = [], before = []) {
      for (const secret of before) {
        const keys = keysBySecret.get(secret);
        keys?.delete(key);
        if (keys?.size === 0) keysBySecret.delete(secret);
      }
      for (const secret of now) keysBySecret.set(secret, (keysBySecret.get(secret) ?? new Set()).add(key));
    },
  };
}

const networkSecretOf = (image: ImageEntry | undefined): readonly string[] =>
  image?.spec.networkDataName ? [keyOf({ namespace: image.namespace, name: image.spec.networkDataName })] : [];

const identity = ({ namespace, name, uid, resourceVersion }: Kept): Kept => ({ namespace, name, uid, resourceVersion });

/** Of a Secret nothing else is kept: its annotations may hold its content, as kubectl apply puts it there. */
const keepMetadata = (object: unknown): Kept => identity(kept.parse(object).metadata);

function keepHost(object: unknown): HostEntry {
  const host = hostObject.parse(object);
  const { managedFields: _, ...rest } = host.metadata;
  return {
    ...identity(host.metadata),
    // As it came: what is made up here for a bad or missing spec must not look like the user's.
    object: { ...(object as object), metadata: rest },
    secrets: [host.spec.bmc?.credentialsName, host.spec.preprovisioningNetworkDataName]
      .filter((name) => name !== undefined && name !== '')
      .map((name) => keyOf({ namespace: host.metadata.namespace, name: String(name) })),
  };
}

function keepImage(object: unknown): ImageEntry {
  const { metadata, spec, status } = imageObject.parse(object);
  const { generation, deletionTimestamp, labels, finalizers } = metadata;
  return {
    ...identity(metadata),
    generation,
    deleting: deletionTimestamp !== undefined,
    labels,
    finalizers,
    spec,
    status,
  };
}

function keepHardware(object: unknown): HardwareEntry {
  const hardware = hardwareObject.parse(object);
  return { ...identity(hardware.metadata), architecture: hardware.spec?.hardware.cpu.arch ?? '' };
}

function keepDataImage(object: unknown): DataImageEntry {
  const { metadata, spec, status } = dataImageObject.parse(object);
  const { deletionTimestamp, finalizers, ownerReferences: owners } = metadata;
  return {
    ...identity(metadata),
    url: spec.url,
    deleting: deletionTimestamp !== undefined,
    finalizers,
    owners,
    status,
  };
}
