import { z } from 'zod';
import { lenientText, lenientTexts, maybe } from '../../api/meta/lenient.ts';
import type { WebhookSeen } from '../../domain/migration/survey.ts';
import type { Kube } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { metadata } from '../../kube/objects/metadata.ts';
import { type Named, objectPath } from '../../kube/paths.ts';

export type ServiceRef = Named;

/** A webhook whose Service was not looked at yet. */
interface Asked extends Pick<WebhookSeen, 'kind' | 'name' | 'resources' | 'isRequired'> {
  readonly service: ServiceRef;
}

const service = z.object({ namespace: z.string(), name: z.string() });
/** With a URL instead of a Service, nothing of the cluster says whether there is a server. */
const client = z.object({ service: service.optional() });
const rule = z.object({ apiGroups: z.array(z.string()).catch([]), resources: z.array(z.string()).catch([]) });
/** A configuration of validating or mutating webhooks. */
export const webhookConfiguration = z.object({
  metadata,
  webhooks: z
    .array(z.object({ clientConfig: client, failurePolicy: lenientText, rules: z.array(rule).catch([]) }))
    .catch([]),
});

/** The webhooks with a Service about kinds of these groups, one for each Service of a configuration. */
export const readWebhooks = (
  kind: WebhookSeen['kind'],
  configurations: readonly unknown[],
  isOurs: (group: string) => boolean,
): readonly Asked[] =>
  configurations.flatMap((object) => {
    const { metadata: meta, webhooks } = webhookConfiguration.parse(object);
    const asked = webhooks.flatMap(({ clientConfig, failurePolicy, rules }): Asked[] => {
      const resources = rules.flatMap(({ apiGroups, resources: plurals }) =>
        apiGroups.filter(isOurs).flatMap((group) => plurals.map((plural) => `${plural}.${group}`)),
      );
      if (clientConfig.service === undefined || resources.length === 0) return [];
      const { namespace, name } = clientConfig.service;
      return [
        { kind, name: meta.name, resources, isRequired: failurePolicy !== 'Ignore', service: { namespace, name } },
      ];
    });
    return [...Map.groupBy(asked, ({ service: of, isRequired }) => JSON.stringify([of, isRequired])).values()].flatMap(
      ([first, ...others]) =>
        first === undefined
          ? []
          : [{ ...first, resources: [...first.resources, ...others.flatMap(({ resources }) => resources)] }],
    );
  });

const definition = z.object({
  metadata,
  spec: z.object({
    versions: z.array(z.object({ name: z.string(), served: z.boolean() })),
    conversion: maybe(z.object({ webhook: z.object({ clientConfig: client }).optional() })),
  }),
});

export interface Definition {
  /** The versions in which it is served. */
  readonly served: readonly string[];
  readonly conversion?: Asked;
}

export function readDefinition(object: unknown): Definition {
  const { metadata: meta, spec } = definition.parse(object);
  const served = spec.versions.filter((version) => version.served).map(({ name }) => name);
  const of = spec.conversion?.webhook?.clientConfig.service;
  if (of === undefined) return { served };
  const kind = 'CustomResourceDefinition';
  return { served, conversion: { kind, name: meta.name, resources: [meta.name], isRequired: true, service: of } };
}

const serviceObject = z.object({ spec: z.object({ selector: lenientTexts }).catch({ selector: {} }) });
const slice = z.object({
  endpoints: z.array(z.object({ conditions: z.object({ ready: z.boolean().nullish() }).catch({}) })).nullish(),
});

/** Whether the Service has a server that is ready, and whether it leads to Temper. */
export async function serviceSeen(
  kube: Pick<Kube, 'find' | 'request'>,
  ref: ServiceRef,
): Promise<Pick<WebhookSeen, 'isServed' | 'isTempers'>> {
  const found = await kube.find(objectPath({ apiVersion: 'v1', plural: 'services' }, ref));
  if (found === undefined) return { isServed: false, isTempers: false };
  const isTempers = serviceObject.parse(found).spec.selector['app.kubernetes.io/name'] === 'temper';
  const path = `/apis/discovery.k8s.io/v1/namespaces/${encodeURIComponent(ref.namespace)}/endpointslices`;
  const slices = await listAll(kube, path, { labelSelector: `kubernetes.io/service-name=${ref.name}` });
  const isServed = slices.some((each) =>
    (slice.parse(each).endpoints ?? []).some(({ conditions }) => conditions.ready !== false),
  );
  return { isServed, isTempers };
}
