import { messageOf } from '../../domain/message-of.ts';
import { type AgentUrls, formatsOf } from '../../domain/preprovisioning/urls.ts';
import { type FollowedKind, isSameKind, KINDS } from '../../kube/kinds.ts';
import { imagesBySecret } from '../../kube/objects/preprovisioningimage.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { KeptSizes } from '../../platform/metrics/kept.ts';
import type { Around } from '../around.ts';
import { measureQueue } from '../watch/measure-queue.ts';
import { createQueue, type KeyedQueue, type QueueWatcher } from '../watch/queue.ts';
import { createBuildImage } from './build-image.ts';
import { createKeepDataImage } from './data-images.ts';

interface ImagesDeps extends Pick<Around, 'kube' | 'store' | 'ledger' | 'log' | 'metrics' | 'now'> {
  /** The operator's images of the deploy agent; without any, another controller fills in PreprovisioningImages. */
  readonly urls: AgentUrls;
  /** True: PreprovisioningImages are watched. */
  readonly areBuilt: boolean;
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

export function createImages(deps: ImagesDeps): Images {
  const { store, urls, areBuilt, log, metrics } = deps;
  const builds = areBuilt && formatsOf(urls).length > 0;
  const queueOf = ({ kind }: FollowedKind, failure: string, watcher?: QueueWatcher): KeyedQueue =>
    createQueue({
      concurrency: AT_ONCE,
      ...(watcher && { watcher }),
      onFailure: (object, error, retryInMs) => log.info({ kind, object, error: messageOf(error), retryInMs }, failure),
    });
  const measured = measureQueue(metrics, 'preprovisioningimage', AT_ONCE);
  const images = queueOf(KINDS.preprovisioningImage, 'PreprovisioningImage could not be filled in', measured);
  const dataImages = queueOf(KINDS.dataImage, 'DataImage could not be reconciled');

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
      images.serve(createBuildImage(deps));
      dataImages.serve(createKeepDataImage({ ...deps, stores: store }));
    },
    stop: async () => void (await Promise.all([images.stop(), dataImages.stop()])),
    kept: { image_keys: () => images.kept + dataImages.kept },
  };
}
