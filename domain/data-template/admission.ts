import type {
  MetaDataGiven,
  Metal3DataTemplateSpecGiven,
  NetworkDataGiven,
} from '../../api/metal3datatemplate/schema.ts';
import { type FieldProblem, invalid, required } from '../admission/field-problem.ts';
import type { Judged, Rules } from '../admission/rules.ts';
import { same } from '../same.ts';

function interfaceProblems({ fromHostInterfaces = [] }: MetaDataGiven): readonly FieldProblem[] {
  return fromHostInterfaces.flatMap(({ interface: name = '', fromBootMAC = false }, index) => {
    const field = `spec.metaData.fromHostInterfaces.${index}.interface`;
    if (!fromBootMAC && name === '') return [required(field, 'interface must be specified when fromBootMAC is false')];
    return fromBootMAC && name !== '' ? [invalid(field, name, 'interface must be empty when fromBootMAC is true')] : [];
  });
}

function poolProblems({ networks = {} }: NetworkDataGiven): readonly FieldProblem[] {
  return (['ipv4', 'ipv6'] as const).flatMap((kind) =>
    (networks[kind] ?? []).flatMap(({ fromPoolRef, ipAddressFromIPPool, fromPoolAnnotation }, index) =>
      [fromPoolRef?.name, ipAddressFromIPPool, fromPoolAnnotation?.object].some((source = '') => source !== '')
        ? []
        : [
            required(
              `spec.networkData.networks.${kind}.${index}.fromPoolRef.name`,
              'fromPoolRef needs to contain a reference to an IPPool',
            ),
          ],
    ),
  );
}

/** A template is checked only at its creation, because it is immutable. */
export const metal3DataTemplateRules: Rules<Judged<Metal3DataTemplateSpecGiven>> = {
  created: ({ spec: { metaData = {}, networkData = {} } }) => [
    ...interfaceProblems(metaData),
    ...poolProblems(networkData),
  ],
  changed: ({ spec: before }, { spec: after }) => [
    ...(same(before.metaData, after.metaData) ? [] : [invalid('spec.MetaData', after.metaData, 'cannot be modified')]),
    ...(same(before.networkData, after.networkData)
      ? []
      : [invalid('spec.NetworkData', after.networkData, 'cannot be modified')]),
  ],
  warnings: ({ spec: { clusterName = '' } }) =>
    clusterName === ''
      ? []
      : [
          'spec.clusterName is deprecated and will be removed in a future release. It is no longer used by the controllers.',
        ],
};
