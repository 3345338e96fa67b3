import type { LabEndpoints } from '../lab/lab.ts';
import type { MeasuredServices } from './cpu.ts';

/** What a life needs of a lab, which may be of another checkout. */
export type LifeLab = MeasuredServices & {
  readonly endpoints: Pick<LabEndpoints, 'kubeconfig' | 'proxyControl' | 'testImage' | 'bmc'>;
};
