import type { IronicJson } from '../node/node-json.ts';

/** A step of manual cleaning in Ironic's API. */
export interface CleanStep {
  readonly interface: 'raid' | 'deploy' | 'bios' | 'firmware';
  readonly step: string;
  readonly args?: IronicJson;
}
