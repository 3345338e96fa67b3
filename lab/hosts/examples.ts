import { fileURLToPath } from 'node:url';
import { PREFERRED_PORTS } from '../ironic/ironic-lab.ts';
import type { Lab } from '../lab.ts';
import { type Manifest, type Relocation, readManifests, withHostCount } from './manifests.ts';

export const EXAMPLES = fileURLToPath(new URL('../../examples/hosts.yaml', import.meta.url));

export interface ExampleOptions {
  /** Hosts written for the preferred ports. */
  readonly file?: string;
  /** Exactly so many hosts, instead of those in the file. */
  readonly count?: number | undefined;
}

/** The example hosts, with the addresses of this lab. */
export function exampleHosts(
  { endpoints, machines }: Pick<Lab, 'endpoints' | 'machines'>,
  { file = EXAMPLES, count }: ExampleOptions = {},
): readonly Manifest[] {
  const manifests = readManifests(file, relocations(endpoints));
  return count === undefined ? manifests : withHostCount(manifests, count, machines, endpoints);
}

/** What is written in the file against what is so in this lab; empty when the file applies as it is. */
export function relocations({
  redfish,
  agentControl,
}: Pick<Lab['endpoints'], 'redfish' | 'agentControl'>): readonly Relocation[] {
  const written = (port: number): string => `http://127.0.0.1:${port}`;
  return [
    { from: written(PREFERRED_PORTS.redfish), to: redfish },
    { from: written(PREFERRED_PORTS.agent), to: agentControl },
  ].filter(({ from, to }) => from !== to);
}
