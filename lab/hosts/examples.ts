import { fileURLToPath } from 'node:url';
import { IRONIC_PORTS } from '../ironic/ironic-lab.ts';
import type { FixtureLab, Lab } from '../lab.ts';
import {
  fakeHosts,
  machineHost,
  type Relocation,
  readManifests,
  type StoryManifest,
  withHostCount,
} from './manifests.ts';

export const EXAMPLES = fileURLToPath(new URL('../../examples/hosts.yaml', import.meta.url));

export interface ExampleOptions {
  /** File with hosts for the preferred ports. */
  readonly file?: string;
  /** Exactly this number of hosts, instead of those in the file. */
  readonly count?: number | undefined;
}

/** The example hosts with the addresses of this lab. The fixture accepts any address. */
export function exampleHosts(
  { endpoints, machines }: Pick<Lab | FixtureLab, 'endpoints' | 'machines'>,
  { file = EXAMPLES, count }: ExampleOptions = {},
): readonly StoryManifest[] {
  const manifests = readManifests(file, hostRelocations(endpoints));
  if (count === undefined) return manifests;
  return withHostCount(manifests, count, (from, to) =>
    'redfish' in endpoints
      ? machines.slice(from, to).flatMap((machine) => machineHost(machine, endpoints))
      : fakeHosts(Math.max(to - from, 0)),
  );
}

/** The addresses in the file and their replacements in this lab; empty when no change is needed. */
export function hostRelocations(endpoints: Lab['endpoints'] | FixtureLab['endpoints']): readonly Relocation[] {
  if (!('redfish' in endpoints)) return [];
  const { redfish, agentControl } = endpoints;
  const written = (port: number): string => `http://127.0.0.1:${port}`;
  return [
    { from: written(IRONIC_PORTS.redfish), to: redfish },
    { from: written(IRONIC_PORTS.agent), to: agentControl },
  ].filter(({ from, to }) => from !== to);
}
