import type { Kube } from '../../../kube/client.ts';
import { type Watch, watchVersions } from '../watch-versions.ts';
import { collectionOf, STORY_KINDS, type StoryKind } from './kinds.ts';

/** Watches all kinds of the stories in all namespaces; a Node counts to the namespace before the dot in its name. */
export const watchStories = (kube: Kube): Promise<Watch<StoryKind>> =>
  watchVersions({
    kube,
    paths: Object.fromEntries(STORY_KINDS.map((kind) => [kind, collectionOf(kind, undefined)])) as Record<
      StoryKind,
      string
    >,
    namespaceOf: (name) => name.split('.')[0] ?? '',
  });
