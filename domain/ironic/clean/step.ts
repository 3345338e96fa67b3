import type { Json } from '../node/node-json.ts';

/** A step of manual cleaning, as Ironic's API takes it. */
export interface CleanStep {
  readonly interface: 'raid' | 'deploy' | 'bios' | 'firmware';
  readonly step: string;
  readonly args?: Json;
}
