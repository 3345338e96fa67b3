import { nextStep } from '../../domain/host/next-step.ts';
import type { Step } from '../../domain/host/step.ts';
import { aHost, NOW } from './host.ts';

/** A step in a few words, to compare with. */
export function said(step: Step): string {
  switch (step.kind) {
    case 'act':
      return step.action.name;
    case 'run':
      return `run ${step.operation.name}`;
    case 'become':
      return `become ${step.state}`;
    case 'note':
    case 'show':
    case 'wait':
    case 'gone':
      return step.kind;
  }
}

/** What a host like this does next, in a few words. */
export const next = (...host: Parameters<typeof aHost>): string => said(nextStep(aHost(...host), NOW));
