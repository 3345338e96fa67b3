import type { Floor } from './floor.ts';

/** Seconds of the phases that both the floor and Temper have. */
export interface Phases {
  readonly available: number;
  readonly provisioned: number;
  readonly availableAgain: number;
}

export const PHASES = ['available', 'provisioned', 'availableAgain'] as const satisfies readonly (keyof Phases)[];

/** The floor (the script's time), measured on two quiet cores, by number of hosts. */
const REFERENCE: Readonly<Record<number, Phases>> = {
  1: { available: 3.2, provisioned: 6.9, availableAgain: 4.4 },
  20: { available: 14.7, provisioned: 30.0, availableAgain: 16.7 },
};

/** A floor slower than this factor was measured on a busy or slow computer, and nothing is compared with it. */
const TOLERANCE = 1.2;

export const floorPhases = (floor: Floor): Phases => ({
  available: floor.enrollToInspected,
  provisioned: floor.provideAndDeploy,
  availableAgain: floor.undeploy,
});

export type FloorVerdict =
  | { readonly kind: 'floor' }
  | { readonly kind: 'too slow'; readonly reasons: readonly string[] }
  /** There is no reference for this number of hosts. */
  | { readonly kind: 'unknown' };

/** Whether a floor is fast enough as a baseline. */
export const judgeFloor = (hosts: number, measured: Phases): FloorVerdict => {
  const reference = REFERENCE[hosts];
  if (reference === undefined) return { kind: 'unknown' };
  const reasons = PHASES.filter((phase) => measured[phase] > TOLERANCE * reference[phase]).map(
    (phase) => `${phase}: ${measured[phase].toFixed(1)} s, more than ${TOLERANCE} times ${reference[phase]} s`,
  );
  return reasons.length === 0 ? { kind: 'floor' } : { kind: 'too slow', reasons };
};

export const referenceOf = (hosts: number): Phases | undefined => REFERENCE[hosts];
