import { type Action, isAboutTurn } from '../../domain/host/memory/task.ts';
import { nextStep } from '../../domain/host/next-step.ts';
import type { HostStep } from '../../domain/host/step.ts';
import { aHost, NOW } from './host.ts';

/** A step as a short text, for comparisons. */
export function said(step: HostStep): string {
  switch (step.kind) {
    case 'act':
      return isForSlot(step.action) ? step.action.name.replace('place', 'slot') : step.action.name;
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

const isForSlot = (action: Action): boolean =>
  isAboutTurn(action) && 'lock' in action.order && action.order.lock === 'slots';

/** The next step of this host as a short text. */
export const next = (...host: Parameters<typeof aHost>): string => said(nextStep(aHost(...host), NOW));
