import type { ObjectReference } from '../../api/meta/references.ts';

interface OwnConsumer extends ObjectReference {
  readonly namespace: string;
}

/**
 * The consumer of a host of this namespace. undefined: it has none, or one of another namespace, which counts for
 * nothing: machines and Clusters have hosts of their own namespace alone, and whoever may write a host could name any.
 */
export const ownConsumer = (namespace: string, consumer: ObjectReference | undefined): OwnConsumer | undefined =>
  consumer !== undefined && (consumer.namespace ?? namespace) === namespace ? { ...consumer, namespace } : undefined;
