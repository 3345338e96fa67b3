import type { Metal3ClusterSpec, Metal3ClusterTemplateSpec } from '../../api/metal3cluster/schema.ts';
import { invalid } from '../admission/field-problem.ts';
import { alike, type Defaults, type Judged, type Rules } from '../admission/rules.ts';
import { flag, integer, object, optional } from '../message/shape.ts';

const API_SERVER_PORT = 6443;

export const metal3ClusterRules = alike<Judged<Metal3ClusterSpec>>(({ spec }) =>
  (spec.controlPlaneEndpoint?.host ?? '') === '' ? [invalid('spec.controlPlaneEndpoint', '', 'is required')] : [],
);

export const metal3ClusterDefaults: Defaults<Metal3ClusterSpec | undefined> = {
  given: optional(
    object({
      controlPlaneEndpoint: optional(object({ port: optional(integer()) })),
      cloudProviderEnabled: optional(flag),
    }),
  ),
  complete: (spec = {}) => ({
    ...spec,
    controlPlaneEndpoint: {
      ...spec.controlPlaneEndpoint,
      port: (spec.controlPlaneEndpoint?.port ?? 0) === 0 ? API_SERVER_PORT : spec.controlPlaneEndpoint?.port,
    },
    cloudProviderEnabled: spec.cloudProviderEnabled ?? false,
  }),
};

/**
 * This check spans two fields: one message names both, and a change is refused when the former template already broke
 * the rule.
 */
export const metal3ClusterTemplateRules: Rules<Judged<Metal3ClusterTemplateSpec>> = {
  created: ({ spec }) => missingFields(spec),
  changed: (before, after) => [...missingFields(before.spec), ...missingFields(after.spec)].slice(0, 1),
};

function missingFields({ template }: Metal3ClusterTemplateSpec): readonly string[] {
  const { host = '', port = 0 } = template.spec.controlPlaneEndpoint ?? {};
  const missing = [
    ...(host === '' ? ['ControlPlaneEndpoint.Host'] : []),
    ...(port === 0 ? ['ControlPlaneEndpoint.Port'] : []),
  ];
  return missing.length === 0 ? [] : [`missing fields from Spec: [${missing.join(' ')}]`];
}
