import type { Diagnosis } from '../diagnosis.ts';
import { logsOf } from '../pods.ts';
import { GOES_ON } from '../risks.ts';

/** What all objects share. */
export const TEMPORAL: readonly Diagnosis[] = [
  {
    id: 'temporal-down',
    of: 'temporal',
    see: ({ temporal }) =>
      temporal && { evidence: [{ object: `Temporal ${temporal.where}`, field: 'connection', words: temporal.why }] },
    cause:
      'Temporal at {temporal} does not answer. Nothing is begun or shown for any object, so what follows may be outdated; servers keep running.',
    risk: GOES_ON,
    next: 'Start Temporal, or correct what its message names. Nothing is lost: bridge and workers go on by themselves when it answers.',
    commands: [
      'temporal operator cluster health',
      'kubectl get pods -A -l app.kubernetes.io/name=temporal',
      logsOf('bridge'),
    ],
  },
];
