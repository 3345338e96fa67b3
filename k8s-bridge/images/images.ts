import { messageOf } from '../../domain/message-of.ts';
import { type AgentUrls, formatsOf } from '../../domain/preprovisioning/urls.ts';
import type { Kube } from '../../kube/client.ts';
import { isSameKind, KINDS } from '../../kube/kinds.ts';
import { readPreprovisioningImage } from '../../kube/objects/preprovisioningimage.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Index, Store } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import type { KeptSizes } from '../../platform/metrics/kept.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import type { Ledger } from '../ledger.ts';
import { measureQueue } from '../watch/measure-queue.ts';
import { createQueue } from '../watch/queue.ts';
import { createBuildImage } from './build-image.ts';
import { createKeepDataImage } from './data-images.ts';

interface ImagesDeps {
  readonly kube: Kube;
  readonly store: Store;
  readonly ledger: Ledger;
  /** The operator's images of the deploy agent; without any, another controller fills in PreprovisioningImages. */
  readonly urls: AgentUrls;
  /** True: PreprovisioningImages are watched. */
  readonly areBuilt: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Reconciles PreprovisioningImages and DataImages, which belong to hosts and have no workflows. */
export interface Images {
  /** The host with this key was written. */
  hostWritten(key: string): void;
  /** Starts to reconcile PreprovisioningImages and DataImages. */
  serve(): void;
  stop(): Promise<void>;
  readonly kept: KeptSizes;
}

const AT_ONCE = 4;

export function createImages({ kube, store, ledger, urls, areBuilt, log, metrics, now }: ImagesDeps): Images {
  const builds = areBuilt && formatsOf(urls).length > 0;
  const images = createQueue({
    concurrency: AT_ONCE,
    watcher: measureQueue(metrics, 'preprovisioningimage', AT_ONCE),
    onFailure: (object, error, retryInMs) =>
      log.info(
        { kind: KINDS.preprovisioningImage.kind, object, error: messageOf(error), retryInMs },
        'PreprovisioningImage could not be filled in',
      ),
  });
  const dataImages = createQueue({
    concurrency: AT_ONCE,
    onFailure: (object, error, retryInMs) =>
      log.info(
        { kind: KINDS.dataImage.kind, object, error: messageOf(error), retryInMs },
        'DataImage could not be reconciled',
      ),
  });

  const hostWritten = (key: string): void => {
    if (store.get(KINDS.dataImage, key) !== undefined) dataImages.add(key);
  };
  store.onChange(({ kind, key }) => {
    if (isSameKind(kind, KINDS.dataImage)) dataImages.add(key);
    if (isSameKind(kind, KINDS.host)) hostWritten(key);
    if (!builds) return;
    if (isSameKind(kind, KINDS.preprovisioningImage)) images.add(key);
    if (isSameKind(kind, KINDS.secret)) {
      for (const image of store.having(imagesBySecret, key)) images.add(keyOf(image));
    }
  });

  return {
    hostWritten,
    serve() {
      images.serve(createBuildImage({ kube, urls, now }));
      dataImages.serve(createKeepDataImage({ kube, stores: store, ledger }));
    },
    stop: async () => void (await Promise.all([images.stop(), dataImages.stop()])),
    kept: { image_keys: () => images.kept + dataImages.kept },
  };
}

const imagesBySecret: Index = {
  kind: KINDS.preprovisioningImage,
  *keysOf(entry) {
    const { networkDataName } = readPreprovisioningImage(entry.object).spec;
    if (networkDataName) yield keyOf({ namespace: entry.namespace, name: networkDataName });
  },
};
