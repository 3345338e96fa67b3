import { z } from 'zod';
import type { Manifest, Variants } from './variants.ts';

/** Settings of the base that are values of the chart of their own, and where. */
export const OWN_VALUES: Readonly<Record<string, string>> = {
  TEMPORAL_ADDRESS: 'temporal.address',
  TEMPORAL_NAMESPACE: 'temporal.namespace',
  IRONIC_ENDPOINT: 'ironic.endpoint',
};

const configMap = z.object({ data: z.record(z.string(), z.string()) });
export const isSettings = ({ kind, metadata }: Manifest): boolean =>
  kind === 'ConfigMap' && metadata.name === 'temper-settings';

/** The settings in these manifests. */
export const settingsIn = (manifests: readonly Manifest[]): Readonly<Record<string, string>> =>
  Object.assign({}, ...manifests.filter(isSettings).map((one) => configMap.parse(one).data)) as Record<string, string>;

/** The template of all settings: those of the base, then those of each component, then those of the user. */
export function settingsTemplate({ base, with: variants }: Variants, of: (component: string) => string): string {
  const usual = settingsIn(base);
  const valueOf = (name: string, value: string): string =>
    OWN_VALUES[name] === undefined ? JSON.stringify(value) : `$.Values.${OWN_VALUES[name]}`;
  const set = (name: string, value: string): string => `{{- $_ := set $settings "${name}" ${value} }}`;
  const ofComponents = [...variants].flatMap(([component, manifests]) => {
    const added = Object.entries(settingsIn(manifests)).filter(([name, value]) => usual[name] !== value);
    if (added.length === 0) return [];
    const lines = added.map(([name, value]) =>
      set(name, name === 'WATCH_NAMESPACE' ? '(join "," $.Values.namespaces)' : JSON.stringify(value)),
    );
    return [`{{- if ${of(component)} }}`, ...lines, '{{- end }}'];
  });
  return [
    '{{- define "temper.settings" }}',
    '{{- $settings := dict }}',
    ...Object.entries(usual).map(([name, value]) => set(name, valueOf(name, value))),
    ...ofComponents,
    '{{- range $name, $value := $.Values.settings }}',
    '{{- $_ := set $settings $name $value }}',
    '{{- end }}',
    '{{- toYaml $settings }}',
    '{{- end }}',
  ].join('\n');
}
